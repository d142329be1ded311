package io.vertxscr.simulation;

import io.vertxscr.flow.advice.HaltConditions;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.LockHeldException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.LocalFiles;
import java.time.Clock;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** Halts the runs of a prefix directory, and admits them again, as {@code scr halt} does. */
final class Operator {
  private final HaltFileStore file;
  private final Clock clock;

  /** @param files of the operator's process */
  Operator(LocalFiles files, String prefix, Clock clock) {
    this.file = new HaltFileStore(new PrefixPaths(files.path(prefix)), new LockUser("operator", files, clock));
    this.clock = clock;
  }

  /** Changes the halt file. @return false: not now, somebody else is changing the directory */
  boolean changes(UnaryOperator<Halt> change) {
    try {
      file.update(change);
      return true;
    } catch (LockHeldException _) {
      return false;
    } catch (ScrException e) {
      if (e.fault() == Fault.BUSY || e.fault() == Fault.NO_SPACE || e.fault() == Fault.IO) {
        return false;
      }
      throw e;
    }
  }

  /** Whether no run may begin. */
  boolean hasHalted() {
    Halt halt = file.read();
    long now = clock.instant().getEpochSecond();
    return !HaltConditions.isOfEarlierRun(halt, OptionalLong.empty(), now)
        && HaltConditions.met(halt, OptionalLong.empty(), now).isPresent();
  }
}
