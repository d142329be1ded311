package io.vertxscr.cli.launch;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertxscr.launch.DaemonEnd;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A daemon, here or on another host, at the other end of two pipes ({@link Attachment}). Its log, and what the remote
 * execution has to complain of, go to a file.
 */
public final class AttachedDaemon {
  private static final Pattern READY = Pattern.compile("node \\S+ is ready: .*, socket (?<socket>.+)");

  private final String node;
  private final Path log;
  private final Process process;
  private final PrintWriter in;
  private final Consumer<Signal> listener;

  private AttachedDaemon(String node, Path log, Process process, Consumer<Signal> listener) {
    this.node = node;
    this.log = log;
    this.process = process;
    this.listener = listener;
    this.in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
  }

  /**
   * Start parameters of the daemon.
   *
   * @param command with what runs it on its host
   * @param environment all of it
   * @param header the line of {@link Attachment#header}
   */
  record DaemonStart(String node, List<String> command, Map<String, String> environment, String header, Path log) {}

  /** Starts it without waiting; the listener is called on other threads. */
  static AttachedDaemon start(DaemonStart start, Consumer<Signal> listener) {
    ProcessBuilder builder = Commands.of(start.command(), start.environment())
        .redirectError(ProcessBuilder.Redirect.appendTo(start.log().toFile()));
    try {
      AttachedDaemon daemon = new AttachedDaemon(start.node(), start.log(), builder.start(), listener);
      daemon.in.println(start.header());
      Thread.ofPlatform().name("daemon-" + start.node()).daemon().start(daemon::follow);
      return daemon;
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "node " + start.node() + ": its daemon cannot be started: " + e.getMessage(), e);
    }
  }

  String node() {
    return node;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  private void follow() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(this::said);
    } catch (UncheckedIOException | IOException _) {
      // Its end.
    } finally {
      listener.accept(new Signal.Gone(this, DaemonEnd.of(process, log)));
    }
  }

  private void said(String line) {
    Matcher ready = READY.matcher(line);
    try {
      if (line.startsWith(Attachment.PONG)) {
        listener.accept(new Signal.Pong(node, Attachment.membersOf(line)));
      } else if (line.startsWith(Attachment.EVENT)) {
        listener.accept(new Signal.Happened(new JsonObject(line.substring(Attachment.EVENT.length()))));
      } else if (ready.matches()) {
        listener.accept(new Signal.Ready(node, ready.group("socket")));
      }
    } catch (DecodeException | ClassCastException | NullPointerException _) {
      // Output of a shell's start files, or of a remote execution: not for us.
    }
  }

  /** Asks for an answer; a daemon that is gone gives none. */
  void ping() {
    in.println(Attachment.PING);
  }

  /** Tells the daemon that the program was ended from outside, which is no failure. */
  void endedFromOutside() {
    in.println(Attachment.ENDED_FROM_OUTSIDE);
  }

  /** SIGKILL, to it and all that runs it here. Returns when it is dead. */
  void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }

  /** It hangs from now on, though it is alive. */
  void hang() throws IOException {
    StopSignal.stop(process);
  }

  void goOn() throws IOException {
    StopSignal.goOn(process);
  }

  /** Asks the daemon to stop, without waiting. */
  void release() {
    in.close();
  }

  /** Waits for its end after {@link #release}, and forces it. */
  void awaitEnd(long endNanos) throws InterruptedException {
    if (!process.waitFor(Math.max(1, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }
}
