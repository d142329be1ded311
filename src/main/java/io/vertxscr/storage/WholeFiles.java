package io.vertxscr.storage;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A file system that replaces a small file in one step, so that {@link AtomicFile} needs no draft there. Implemented
 * by the {@link java.nio.file.FileSystem} itself.
 */
public interface WholeFiles {
  /** Replaces the file durably, or makes it. @throws IOException the file has either content then */
  void replace(Path path, byte[] bytes) throws IOException;
}
