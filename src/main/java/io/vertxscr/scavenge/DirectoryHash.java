package io.vertxscr.scavenge;

import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.storage.Faults;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Content of a directory, as the tree in which SCR looks for rank filemaps. Nobody reads it but people.
 * <pre>
 *   DIR  -> a, b, ...          sorted; missing if there are none
 *   FILE -> c, d, ...          all that is no directory: a link to one is none
 * </pre>
 */
public final class DirectoryHash {
  private DirectoryHash() {}

  /**
   * The whole tree, as a hash file; of the directory itself, not of those below.
   *
   * @throws io.vertxscr.model.ScrException IO
   */
  public static byte[] encode(Path directory) {
    List<Path> all = new ArrayList<>();
    try (var entries = Files.newDirectoryStream(directory)) {
      entries.forEach(all::add);
    } catch (IOException e) {
      throw Faults.io(directory, e);
    } catch (DirectoryIteratorException e) {
      throw Faults.io(directory, e.getCause());
    }
    Collections.sort(all);
    Hash tree = new Hash();
    all.forEach(path -> tree.add(
        Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? "DIR" : "FILE", path.getFileName().toString()));
    return HashFile.encode(tree);
  }
}
