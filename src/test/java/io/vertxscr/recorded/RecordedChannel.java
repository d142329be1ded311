package io.vertxscr.recorded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A channel whose operations are seen. */
final class RecordedChannel extends FileChannel {
  private static final int COPIED_BYTES = 8192;

  private final FileChannel plain;
  private final Path path;
  private final Watch watch;
  private final Object key;
  private final boolean appends;

  /** @param key of the file */
  RecordedChannel(FileChannel plain, Path path, Watch watch, Object key, boolean appends) {
    this.plain = plain;
    this.path = path;
    this.watch = watch;
    this.key = key;
    this.appends = appends;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return watch.write(path, key, appends ? plain.size() : plain.position(), from, plain::write);
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    int begin = from.position();
    return watch.write(path, key, position, from, part -> plain.write(part, position + part.position() - begin));
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long written = 0;
    for (int i = offset; i < offset + length; i++) {
      written += write(from[i]);
    }
    return written;
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    if (size < plain.size()) {
      watch.truncate(path, key, size, () -> plain.truncate(size));
    }
    return this;
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
    long copied = 0;
    while (copied < count) {
      ByteBuffer some = ByteBuffer.allocate((int) Math.min(COPIED_BYTES, count - copied));
      if (from.read(some) < 0) {
        break;
      }
      copied += write(some.flip(), position + copied);
    }
    return copied;
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return watch.change("map", path, null, () -> plain.map(mode, position, size));
  }

  @Override
  public void force(boolean metadata) throws IOException {
    watch.sync(path, key, () -> {
      plain.force(metadata);
      return null;
    });
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    return watch.read(path, () -> plain.read(to));
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
    return watch.read(path, () -> plain.read(to, offset, length));
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    return watch.read(path, () -> plain.read(to, position));
  }

  @Override
  public long position() throws IOException {
    return plain.position();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    plain.position(position);
    return this;
  }

  @Override
  public long size() throws IOException {
    return plain.size();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
    return watch.read(path, () -> plain.transferTo(position, count, to));
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    return plain.lock(position, size, shared);
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    return plain.tryLock(position, size, shared);
  }

  @Override
  protected void implCloseChannel() throws IOException {
    watch.close(path, () -> {
      plain.close();
      return null;
    });
  }
}
