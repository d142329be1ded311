package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file system on which files are seen whole or not at all. Implemented by the {@link java.nio.file.FileSystem}
 * itself. A small file is replaced in one step, so that {@link AtomicFile} needs no draft there.
 */
public interface WholeFiles {
  /** Replaces the file durably, or makes it. @throws IOException the file has either content then */
  void replace(Path path, byte[] bytes) throws IOException;

  /**
   * Gives up files that are still written, by whatever process. Until they are whole, no list has those of others.
   *
   * @param pattern a glob of names
   * @return how many there were
   */
  int abandon(Path directory, String pattern) throws IOException;
}
