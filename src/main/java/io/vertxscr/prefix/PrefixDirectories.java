package io.vertxscr.prefix;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** Directories below the prefix: made, checked, and made durable. */
public final class PrefixDirectories {
  private PrefixDirectories() {}

  /**
   * Makes a directory and what is missing above it, and sees that no symbolic link leads it out of the prefix.
   *
   * @throws ScrException OUTSIDE_PREFIX, NO_SPACE, IO
   */
  public static void create(Path prefix, Path directory) {
    try {
      Files.createDirectories(directory);
      if (!directory.toRealPath().startsWith(prefix.toRealPath())) {
        throw new ScrException(Fault.OUTSIDE_PREFIX,
            directory + " leads, through a symbolic link, out of the prefix directory " + prefix);
      }
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
  }

  /** Makes a directory whose name, and the names of all above it up to the prefix, survive a power failure. */
  public static void createDurably(Path prefix, Path directory) {
    create(prefix, directory);
    force(upTo(prefix, Set.of(directory)));
  }

  /** These directories and all above them, the prefix included, each once. */
  public static Set<Path> upTo(Path prefix, Collection<Path> directories) {
    Set<Path> all = new LinkedHashSet<>();
    for (Path directory : directories) {
      Path next = directory;
      while (next.startsWith(prefix) && all.add(next)) {
        next = next.getParent();
      }
    }
    return all;
  }

  /** Makes the names in these directories durable. */
  public static void force(Collection<Path> directories) {
    for (Path directory : directories) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      } catch (IOException e) {
        throw Faults.io(directory, e);
      }
    }
  }
}
