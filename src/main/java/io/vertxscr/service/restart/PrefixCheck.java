package io.vertxscr.service.restart;

import io.vertxscr.config.Nearest;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether the prefix directory that a run names can be the one that is meant. A typing error in its name would start
 * the run without checkpoint somewhere else, unnoticed for days. Blocking; writes nothing but what it says.
 */
final class PrefixCheck {
  /** Of what is beside a directory that is made, so many names are looked at. */
  private static final int NEIGHBOURS = 1000;

  private PrefixCheck() {}

  /** Returns an obstacle to writing files, as the end of a sentence; empty: none. */
  static Optional<String> trouble(PrefixPaths paths) {
    Path prefix = paths.prefix();
    Path metadata = paths.scr();
    Optional<String> obstacle = PrefixDirectories.obstacle(prefix);
    if (obstacle.isPresent()) {
      return obstacle;
    }
    if (!Files.isWritable(prefix)) {
      return Optional.of("may not be written to");
    }
    return Files.exists(metadata) && !Files.isWritable(metadata)
        ? Optional.of("may not be written to: " + metadata) : Optional.empty();
  }

  /** Refuses an empty directory for which the caches hold datasets: an unmounted file system. */
  static ScrException notMounted(PrefixPaths paths) {
    return new ScrException(Fault.IO, "the prefix directory " + paths.prefix() + " shows no trace of the runs that have"
        + " written the checkpoints in the caches: is its file system mounted? No run begins, and nothing is written"
        + " there. If it was emptied, make a directory " + paths.scr());
  }

  /**
   * Creates the last component of a missing directory, and {@code .scr} in it, durably. More missing components suggest
   * an unmounted file system.
   *
   * @return a startup warning; empty if the directory exists and is usable
   * @throws ScrException IO, with what to do
   */
  static Optional<String> make(PrefixPaths paths) {
    Path prefix = paths.prefix();
    Optional<String> trouble = trouble(paths);
    if (trouble.isEmpty()) {
      mark(paths);
      return Optional.empty();
    }
    if (!trouble.get().equals(PrefixDirectories.NOT_THERE)) {
      throw refused(prefix, trouble.get());
    }
    Path above = prefix.getParent();
    Optional<String> obstacle = above == null ? trouble : PrefixDirectories.obstacle(above);
    if (obstacle.isPresent()) {
      throw refused(prefix, "is not there" + (obstacle.get().equals(PrefixDirectories.NOT_THERE)
          ? ", nor is " + above + " above it (is its file system mounted?)" : "; " + above + " " + obstacle.get()));
    }
    try {
      Files.createDirectory(prefix);
      AtomicFile.force(above);                            // else a loss of power takes all that is brought there
    } catch (IOException e) {
      throw refused(prefix, "is not there, and cannot be made: " + ScrException.reason(e));
    }
    mark(paths);
    return Optional.of("prefix directory " + prefix + " was not there and has been made: it has nothing to restart from"
        + meant(prefix, above));
  }

  /** By this it is told from a mount point without its file system. A full one could not be later. */
  private static void mark(PrefixPaths paths) {
    if (!Files.exists(paths.scr())) {
      try {
        PrefixDirectories.createDurably(paths.prefix(), paths.scr());
      } catch (ScrException e) {
        throw refused(paths.prefix(), "cannot be written to: " + e.getMessage());
      }
    }
  }

  private static ScrException refused(Path prefix, String trouble) {
    return new ScrException(Fault.IO, "the prefix directory " + prefix + " " + trouble + ". No run begins: nothing"
        + " could be brought there. Set SCR_PREFIX to a directory of the parallel file system that may be written to");
  }

  /** The directory that was meant, perhaps. */
  private static String meant(Path prefix, Path above) {
    if (hasDatasets(above)) {
      return "; " + above + " above it has datasets";
    }
    try (Stream<Path> beside = Files.list(above)) {
      List<String> others = beside.limit(NEIGHBOURS).filter(path -> !path.equals(prefix) && hasDatasets(path))
          .map(path -> path.getFileName().toString()).toList();
      return Nearest.to(prefix.getFileName().toString(), others)
          .map(name -> "; " + above.resolve(name) + " beside it has datasets").orElse("");
    } catch (IOException _) {
      return "";                                          // a guess, not worth a failure
    }
  }

  private static boolean hasDatasets(Path directory) {
    return Files.exists(new PrefixPaths(directory).index());
  }
}
