package io.vertxscr.demo;

import io.vertxscr.examples.heat.HeatEvent;
import io.vertxscr.examples.heat.HeatOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** Ranks as processes of the operating system. To kill one is SIGKILL. */
public final class ProcessLauncher implements RankLauncher {
  private final List<String> command;
  private final Function<String, Path> socketOf;
  private final Path prefix;

  /**
   * @param command the JVM with its options, and the class that runs a rank from its arguments
   * @param socketOf the Unix socket of a node
   */
  public ProcessLauncher(List<String> command, Function<String, Path> socketOf, Path prefix) {
    this.command = List.copyOf(command);
    this.socketOf = socketOf;
    this.prefix = prefix;
  }

  @Override
  public Running launch(HeatOptions options, Optional<String> node, Consumer<HeatEvent> listener) {
    Process process = start(arguments(options, node));
    CompletableFuture<End> ended = new CompletableFuture<>();
    Thread.ofPlatform().name("output-of-rank-" + options.rank()).daemon().start(() -> {
      Optional<String> failure = Optional.of("rank " + options.rank() + ": its output could not be followed");
      try {
        failure = follow(process, listener);
      } finally {
        ended.complete(new End(options.rank(), failure));
      }
    });
    return new Running() {
      @Override
      public CompletableFuture<End> ended() {
        return ended;
      }

      @Override
      public void kill() {
        process.destroyForcibly();
      }
    };
  }

  private List<String> arguments(HeatOptions options, Optional<String> node) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--rank", "" + options.rank(), "--ranks", "" + options.ranks()));
    all.addAll(List.of("--size", "" + options.problem().size(), "--steps", "" + options.problem().steps()));
    all.addAll(List.of("--checkpoint-every", "" + options.problem().checkpointEvery()));
    all.addAll(List.of("--host", options.host(), "--rendezvous", options.rendezvous().toString()));
    all.addAll(List.of("--output", options.output().toString(), "--timeout-ms", "" + options.timeoutMs()));
    node.ifPresent(n -> all.addAll(List.of("--socket", socketOf.apply(n).toString(), "--prefix", prefix.toString())));
    return all;
  }

  private static Process start(List<String> arguments) {
    try {
      return new ProcessBuilder(arguments).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + arguments.getFirst(), e);
    }
  }

  /** Hands on the events until the process has ended; returns its last words where it failed. */
  private static Optional<String> follow(Process process, Consumer<HeatEvent> listener) {
    String last = read(process, listener);
    try {
      int code = process.waitFor();
      return code == 0 ? Optional.empty() : Optional.of("exit code " + code + (last.isEmpty() ? "" : ": " + last));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("nobody waits for it any more");
    }
  }

  private static String read(Process process, Consumer<HeatEvent> listener) {
    String last = "";
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Optional<HeatEvent> event = HeatEvent.parse(line);
        event.ifPresent(listener);
        last = event.isPresent() || line.isBlank() ? last : line;
      }
    } catch (IOException _) {
      // A kill closes the output; the exit code has the result.
    }
    return last;
  }
}
