package io.vertxscr.cli.launch;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The user's program: it has standard input, output and error of this process for itself. */
final class RunningProgram {
  private static final long GRACE_S = 10;

  private final Process process;

  private RunningProgram(Process process) {
    this.process = process;
  }

  /**
   * Starts it; the listener is called at its end, on another thread.
   *
   * @param environment all of it
   * @throws ScrException IO; a missing command is no failure, but ends with 127
   */
  static RunningProgram start(List<String> command, Map<String, String> environment, Consumer<Signal> listener) {
    try {
      RunningProgram program = new RunningProgram(Commands.of(command, environment).inheritIO().start());
      program.process.onExit().thenAccept(ended -> listener.accept(new Signal.Ended(ended.exitValue())));
      return program;
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "the program cannot be started: " + e.getMessage(), e);
    }
  }

  /** As {@link #kill}, and waits for its end. */
  void end() {
    kill();
    process.onExit().join();
  }

  /** Asks it to end, and after 10 s kills it with all that it has started here. Does not wait. */
  void kill() {
    List<ProcessHandle> all = process.descendants().toList();
    process.destroy();
    process.onExit().orTimeout(GRACE_S, TimeUnit.SECONDS).whenComplete((_, late) -> {
      if (late != null) {
        all.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    });
  }
}
