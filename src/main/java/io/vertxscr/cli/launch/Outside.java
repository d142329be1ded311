package io.vertxscr.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Short commands of others, with a limit of time.
 *
 * @param environment all of it, for the commands
 */
record Outside(Map<String, String> environment) {
  private static final long PATIENCE_S = 20;

  /** Answer of a command. */
  record Answer(int exit, String out) {}

  /** Returns a command's output; empty if it cannot be started, fails, or takes longer than 20 s. */
  Optional<String> ask(List<String> command) {
    return run(command).filter(answer -> answer.exit() == 0).map(Answer::out);
  }

  /** Runs it; empty where it cannot be started or does not end. */
  Optional<Answer> run(List<String> command) {
    try {
      Process process =
          Commands.of(command, environment).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      process.getOutputStream().close();
      CompletableFuture<byte[]> out = CompletableFuture.supplyAsync(() -> read(process));
      try {
        if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
          return Optional.empty();
        }
        return Optional.of(new Answer(process.exitValue(), new String(out.join(), StandardCharsets.UTF_8)));
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException _) {
      return Optional.empty();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static byte[] read(Process process) {
    try {
      return process.getInputStream().readAllBytes();
    } catch (IOException _) {
      return new byte[0];
    }
  }
}
