package io.vertxscr.demo;

import io.vertxscr.client.ScrClient;
import io.vertxscr.launch.DaemonEnd;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A node as a process: {@code scr node}. Its methods block. */
final class Daemon {
  private static final int STOP_MS = 3_000;
  private static final int ASK_MS = 5_000;
  private static final int POLL_MS = 20;

  private final String name;
  private final Path socket;
  private final Path log;
  private final Process process;
  private final CompletableFuture<String> ready = new CompletableFuture<>();

  private Daemon(String name, Path socket, Path log, Process process) {
    this.name = name;
    this.socket = socket;
    this.log = log;
    this.process = process;
  }

  /**
   * Starts it, without waiting for anything that it does.
   *
   * @param socket where it will listen
   * @param log for what it writes to standard error
   * @param command the program with its arguments
   * @param environment its SCR variables; it inherits none of those of this process
   */
  static Daemon start(String name, Path socket, Path log, List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().keySet().removeIf(variable -> variable.startsWith("SCR_"));
    builder.environment().putAll(environment);
    builder.environment().put("SCR_AOT", "0");              // no rehearsal that would outlive the demo
    try {
      Daemon daemon = new Daemon(name, socket, log, builder.start());
      Thread.ofPlatform().name("output-of-" + name).daemon().start(daemon::follow);
      return daemon;
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "node " + name + " cannot be started: " + ScrException.reason(e), e);
    }
  }

  private void follow() {
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().filter(line -> line.contains(" is ready")).forEach(ready::complete);
    } catch (IOException | UncheckedIOException _) {
      // The process is gone.
    } finally {
      ready.completeExceptionally(new ScrException(Fault.NODE_LOST,
          "node " + name + " is lost: its daemon " + DaemonEnd.of(process, log)));
    }
  }

  /** Waits until it is ready and sees exactly these members. */
  void awaitMembers(Set<String> members, long endNanos) {
    try {
      ready.get(left(endNanos), TimeUnit.MILLISECONDS);
      Set<String> seen = members();
      while (!seen.equals(members)) {
        if (endNanos - System.nanoTime() < 0) {
          throw new ScrException(Fault.TIMEOUT, "node " + name + " sees " + seen + " instead of " + members);
        }
        Thread.sleep(POLL_MS);                            // polls another process
        seen = members();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ScrException known ? known : new ScrException(Fault.INTERNAL, "" + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new ScrException(Fault.TIMEOUT, "node " + name + " was not ready in time; its log: " + log, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScrException(Fault.STOPPING, "interrupted while waiting for node " + name, e);
    }
  }

  /** Whom it sees; nobody while it is too busy to answer. */
  private Set<String> members() throws ExecutionException, InterruptedException {
    ScrClient client = ScrClient.connect(socket);
    try {
      Set<String> members = new TreeSet<>();
      List<?> nodes = (List<?>) client.status().get(ASK_MS, TimeUnit.MILLISECONDS).get("nodes");
      nodes.forEach(node -> members.add("" + node));
      return members;
    } catch (TimeoutException _) {
      return Set.of();
    } finally {
      client.close();
    }
  }

  private static long left(long endNanos) {
    return Math.max(1, (endNanos - System.nanoTime()) / 1_000_000);
  }

  /** SIGKILL; returns when it is dead. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /** SIGTERM, without waiting. */
  void terminate() {
    process.destroy();
  }

  /** Waits for its end after {@link #terminate}, and forces it if it takes too long. */
  void awaitEnd() {
    process.onExit().completeOnTimeout(process, STOP_MS, TimeUnit.MILLISECONDS).join();
    if (process.isAlive()) {
      kill();
    }
  }
}
