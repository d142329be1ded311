package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Draft containers of one flush: {@code .scr/flush.<layout>.<token>/ctr.<id>.scr} in the dataset's directory. What the
 * leader does with them; each step durable, and may be repeated.
 *
 * <pre>
 *   prepare   drafts of other layouts, and their containers, are removed; those of an earlier token get ours
 *   (nodes: ContainerCopy)
 *   publish   "copied" is written; then every container is renamed to its place
 *   clean     the dataset is complete: the directory goes
 * </pre>
 *
 * A directory stands for one layout of one dataset, which says which node writes what, and for one token of a leader.
 * So a node that still writes for an earlier leader finds no file of its name any more, and gives none a name; what it
 * has open has the bytes that it would write again. Once {@code copied} is there, writes are forbidden:
 * containers may have their names already, and a new draft would lack what the other nodes wrote.
 */
public final class ContainerDrafts {
  private static final String COPIED = "copied";
  private static final String DRAFTS = "flush.";

  private final PrefixPaths paths;
  private final int dataset;
  private final ContainerPaths containers;
  private final Path directory;

  /** @param layout {@link #name} */
  public ContainerDrafts(PrefixPaths paths, int dataset, String layout) {
    this.paths = paths;
    this.dataset = dataset;
    this.containers = new ContainerPaths(paths.dataset(dataset));
    this.directory = directory(paths, dataset, layout);
  }

  /** Returns the draft directory of a layout. @throws ScrException OUTSIDE_PREFIX if its name is no name */
  public static Path directory(PrefixPaths paths, int dataset, String layout) {
    if (!layout.matches("[0-9A-Za-z._-]{1,128}")) {
      throw new ScrException(Fault.OUTSIDE_PREFIX, "'" + layout + "' cannot name the containers of dataset " + dataset);
    }
    return new ContainerPaths(paths.dataset(dataset)).directory().resolve(DRAFTS + layout);
  }

  /**
   * Before nodes copy; by the newest leader, under the lock. The dataset has no summary, so its containers have no
   * readers.
   *
   * @return whether all is copied already: then nodes must not write
   * @throws ScrException WRONG_STATE if it has a summary: nothing was done; IO
   */
  public boolean prepare() {
    if (Presence.exists(paths.summary(dataset))) {
      throw new ScrException(
          Fault.WRONG_STATE, "dataset " + dataset + " is complete in " + paths.prefix() + " meanwhile");
    }
    for (Path other : MetadataFiles.list(containers.directory(), "flush.*")) {
      if (!other.equals(directory) && !isAdopted(other)) {
        delete(other);
      }
    }
    if (!Presence.exists(directory)) {
      removePublished(paths, dataset);
      PrefixDirectories.createDurably(paths.prefix(), directory);
    }
    return Presence.exists(directory.resolve(COPIED));
  }

  /** Takes over the drafts of an earlier leader with the same layout, in one step. */
  private boolean isAdopted(Path other) {
    if (Presence.exists(directory) || !layout(other).equals(layout(directory))) {
      return false;
    }
    try {
      Files.move(other, directory, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Faults.io(other, e);
    }
    PrefixDirectories.force(List.of(containers.directory()));
    return true;
  }

  /** The name of a directory without its token. */
  private static String layout(Path directory) {
    String name = directory.getFileName().toString().substring(DRAFTS.length());
    int token = name.lastIndexOf('.');
    return token < 0 ? name : name.substring(0, token);
  }

  /** The layout of one leader. @param layout differs whenever a byte may have another place, or another writer */
  public static String name(String layout, PrefixToken token) {
    return layout + "." + token.text();
  }

  /**
   * All nodes have copied: gives the containers their names. For a leader, as {@code PrefixFence.naming} does it.
   *
   * @param count of containers
   * @throws ScrException NO_SUCH_FILE if one is gone: the next attempt copies all again; IO
   */
  public void publish(int count) {
    try {
      Files.createFile(directory.resolve(COPIED));
    } catch (FileAlreadyExistsException _) {
      // of an attempt that went wrong later
    } catch (IOException e) {
      throw Faults.io(directory, e);
    }
    PrefixDirectories.force(List.of(directory));
    for (int container = 0; container < count; container++) {
      Path draft = directory.resolve(ContainerPaths.fileName(container));
      Path place = containers.named(ContainerPaths.name(container));
      try {
        if (Presence.exists(draft)) {
          Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
        } else if (!Presence.exists(place)) {
          delete(directory);
          throw new ScrException(Fault.NO_SUCH_FILE, "dataset " + dataset + ": container " + place
              + " is gone; its files must be copied again");
        }
      } catch (IOException e) {
        throw Faults.io(place, e);
      }
    }
    PrefixDirectories.force(List.of(containers.directory(), directory));
  }

  /** The dataset is complete. */
  public void clean() {
    delete(directory);
  }

  /** Whether a complete dataset is in containers, those of a scavenge included. */
  public static boolean isPacked(PrefixPaths paths, int dataset) {
    Path directory = new ContainerPaths(paths.dataset(dataset)).directory();
    return !MetadataFiles.list(directory, "{ctr.*.scr,scavenged.*}").isEmpty();
  }

  /** Removes what is left of the drafts of a dataset that is complete. */
  public static void removeDrafts(PrefixPaths paths, int dataset) {
    MetadataFiles.list(new ContainerPaths(paths.dataset(dataset)).directory(), "flush.*")
        .forEach(ContainerDrafts::delete);
  }

  /** Removes all containers of a dataset without readers, drafts included. */
  public static void remove(PrefixPaths paths, int dataset) {
    Path directory = new ContainerPaths(paths.dataset(dataset)).directory();
    MetadataFiles.list(directory, "{scavenged,flush}.*").forEach(ContainerDrafts::delete);
    removePublished(paths, dataset);
  }

  /** Not those of a scavenge: they may be all that there is of some node's files. */
  private static void removePublished(PrefixPaths paths, int dataset) {
    Path directory = new ContainerPaths(paths.dataset(dataset)).directory();
    for (Path container : MetadataFiles.list(directory, "ctr.*.scr")) {
      try {
        Files.deleteIfExists(container);
      } catch (IOException e) {
        throw Faults.io(container, e);
      }
    }
  }

  private static void delete(Path tree) {
    try {
      Trees.delete(tree);
    } catch (IOException e) {
      throw Faults.io(tree, e);
    }
  }
}
