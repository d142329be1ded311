package io.vertxscr.storage.object;

import io.vertxscr.storage.object.ObjectStore.Found;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What an {@link ObjectChannel} reads and writes. Used by one thread at a time. */
sealed interface OpenContent {
  /** Bytes from a position on; -1 at the end. */
  int read(ByteBuffer to, long at) throws IOException;

  long size() throws IOException;

  default int write(ByteBuffer from, long at) throws IOException {
    throw new NonWritableChannelException();
  }

  default void truncate(long most) throws IOException {
    throw new NonWritableChannelException();
  }

  default void force() throws IOException {
    // what is only read is as durable as it can be
  }

  /** A prefix, opened to be synced: each marker was durable when it was made. */
  record Directory(UserspacePath path) implements OpenContent {
    @Override
    public int read(ByteBuffer to, long at) throws IOException {
      throw new FileSystemException(path.toString(), null, "Is a directory");
    }

    @Override
    public long size() throws IOException {
      throw new FileSystemException(path.toString(), null, "Is a directory");
    }
  }

  /** A small file as it was when it was opened. */
  record Bytes(byte[] content) implements OpenContent {
    @Override
    public int read(ByteBuffer to, long at) {
      if (at >= content.length) {
        return to.hasRemaining() ? -1 : 0;
      }
      int count = (int) Math.min(to.remaining(), content.length - at);
      to.put(content, (int) at, count);
      return count;
    }

    @Override
    public long size() {
      return content.length;
    }
  }

  /** One version of an object, read in windows. */
  final class Stored implements OpenContent {
    private static final int WINDOW_BYTES = 4 << 20;

    private final Found found;
    private final ObjectStore store;
    private byte[] window = new byte[0];
    private long windowAt;

    Stored(Found found, ObjectStore store) {
      this.found = found;
      this.store = store;
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
      if (at >= found.bytes()) {
        return to.hasRemaining() ? -1 : 0;
      }
      if (at < windowAt || at >= windowAt + window.length) {
        window = store.get(found.key(), found.etag(), at, (int) Math.min(WINDOW_BYTES, found.bytes() - at));
        windowAt = at;
      }
      int offset = (int) (at - windowAt);
      int count = Math.min(to.remaining(), window.length - offset);
      to.put(window, offset, count);
      return count;
    }

    @Override
    public long size() {
      return found.bytes();
    }
  }

  /** A file that this process writes. */
  final class Written implements OpenContent {
    private final WrittenObject file;
    private final ObjectStore store;
    private final Set<Integer> touched = new TreeSet<>();

    Written(WrittenObject file, ObjectStore store) {
      this.file = file;
      this.store = store;
    }

    WrittenObject file() {
      return file;
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
      Optional<byte[]> content = file.content();
      return content.isPresent() ? new Bytes(content.get()).read(to, at)
          : new Stored(file.finish(), store).read(to, at);
    }

    @Override
    public long size() {
      return file.bytes();
    }

    @Override
    public int write(ByteBuffer from, long at) throws IOException {
      return file.write(from, at, touched);
    }

    @Override
    public void truncate(long most) throws IOException {
      file.truncate(most);
    }

    @Override
    public void force() throws IOException {
      file.force(touched);
    }
  }
}
