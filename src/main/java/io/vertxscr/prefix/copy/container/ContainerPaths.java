package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Where containers are. Pure.
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

  /** Name of a container's file, in whatever directory it is. */
  public static String fileName(int container) {
    return "ctr." + container + ".scr";
  }

  /** The directory of the containers that a node's part of a scavenge has made; relative to the dataset's directory. */
  public static String scavenged(String node, int round) {
    return SCR + "/scavenged." + node + "." + round;
  }

  /**
   * The place of a container that a segment names.
   *
   * @throws ScrException CORRUPT if it leads out of the dataset's directory: a map may have been written by anybody
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
