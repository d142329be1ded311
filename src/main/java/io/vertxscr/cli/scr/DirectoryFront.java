package io.vertxscr.cli.scr;

import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Option;

/** Common part of the commands that answer from one file of a prefix directory, which must be named. */
abstract class DirectoryFront extends Front {
  @Option(names = {"-d", "--dir"}, required = true, paramLabel = "DIR", description = "Prefix directory.")
  private Path directory;

  DirectoryFront(Surroundings surroundings) {
    super(surroundings);
  }

  /** @throws ScrException BAD_CONFIGURATION where it is no directory */
  final PrefixPaths paths() {
    return prefix(directory);
  }

  /** It only reads, and waits for no lock. */
  final LockUser reader() {
    return PatientLocks.user(name(), Duration.ZERO);
  }
}
