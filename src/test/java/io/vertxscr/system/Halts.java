package io.vertxscr.system;

import io.vertxscr.model.Halt;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The halt file of a test's prefix directory. */
final class Halts {
  private Halts() {}

  static HaltFileStore of(Path prefix) {
    return new HaltFileStore(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(30)));
  }

  /** Removes the conditions as {@code scr halt --remove} does. */
  static void remove(Path prefix) {
    if (Files.exists(prefix.resolve(".scr/halt.scr"))) {
      of(prefix).update(_ -> Halt.NONE);
    }
  }
}
