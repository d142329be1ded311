package io.vertxscr.recorded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Stands between a {@link RecordedFileSystem} and the plain one: carries out each operation, or does not. */
interface Watch {
  /** An operation of the plain file system. */
  interface Operation<T> {
    T run() throws IOException;
  }

  /** A write of all that remains of a buffer, at its place. */
  interface Write {
    int of(ByteBuffer from) throws IOException;
  }

  /**
   * A change of names, or of a file's length.
   *
   * @param what in words: {@code open}, {@code move to} ...
   * @param other the second path of a move, link or copy; null for all else
   */
  <T> T change(String what, Path path, Path other, Operation<T> change) throws IOException;

  /** A write. @param key of the file, as {@code BasicFileAttributes} has it */
  int write(Path path, Object key, long position, ByteBuffer from, Write write) throws IOException;

  /** A file has another length. */
  <T> T truncate(Path path, Object key, long size, Operation<T> truncate) throws IOException;

  /** Makes a file or the names of a directory durable. */
  void sync(Path path, Object key, Operation<Void> sync) throws IOException;

  /** A read. */
  default <T> T read(Path path, Operation<T> read) throws IOException {
    return read.run();
  }

  /** Attributes or names are about to be read. */
  default void look(Path path) throws IOException {}

  /** The end of a channel. */
  default void close(Path path, Operation<Void> close) throws IOException {
    close.run();
  }

  /** Whether reads are to be seen, too. */
  default boolean seesReads() {
    return false;
  }
}
