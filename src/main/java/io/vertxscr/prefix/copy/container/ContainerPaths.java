package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Paths of containers. Pure.
 *
 * @param dataset the dataset's directory in the prefix directory
 */
public record ContainerPaths(Path dataset) {
  private static final String SCR = ".scr";

  /** The directory of all containers. */
  public Path directory() {
    return dataset.resolve(SCR);
  }

  /** Name of a container, as segments say it: relative to the dataset's directory. */
  public static String name(int container) {
    return SCR + "/" + fileName(container);
  }

  /** Returns the file name of a container, in any directory. */
  public static String fileName(int container) {
    return "ctr." + container + ".scr";
  }

  /** Returns the directory of a node's scavenged containers, relative to the dataset's directory. */
  public static String scavenged(String node, int round) {
    return SCR + "/scavenged." + node + "." + round;
  }

  /**
   * The place of a container that a segment names.
   *
   * @throws ScrException CORRUPT if it leads out of the dataset's directory: a map is untrusted input
   */
  public Path named(String relative) {
    try {
      Path path = dataset.resolve(relative).normalize();
      if (path.startsWith(dataset) && !path.equals(dataset)) {
        return path;
      }
    } catch (InvalidPathException _) {
      // falls through to the refusal
    }
    throw new ScrException(Fault.CORRUPT, "'" + relative + "' is no container below " + dataset);
  }
}
