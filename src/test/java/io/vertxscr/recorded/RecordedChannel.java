package io.vertxscr.recorded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** A channel whose changes are seen. A write is two changes, so that there is a state in which it is torn. */
final class RecordedChannel extends FileChannel {
  private final FileChannel plain;
  private final Path path;

  RecordedChannel(FileChannel plain, Path path) {
    this.plain = plain;
    this.path = path;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return halves(from, half -> plain.write(half));
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    return halves(from, half -> plain.write(half, position + half.position() - from.position()));
  }

  private interface Write {
    int of(ByteBuffer half) throws IOException;
  }

  private int halves(ByteBuffer from, Write write) throws IOException {
    int begin = from.position();
    ByteBuffer first = from.duplicate().limit(begin + from.remaining() / 2);
    ByteBuffer second = from.duplicate();
    while (first.hasRemaining()) {
      States.change("write", path, () -> write.of(first));
    }
    second.position(first.position());
    while (second.hasRemaining()) {
      States.change("write the rest of", path, () -> write.of(second));
    }
    from.position(second.position());
    return second.position() - begin;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    return States.change("write", path, () -> plain.write(from, offset, length));
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    if (size < plain.size()) {
      States.change("truncate", path, () -> plain.truncate(size));
    }
    return this;
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
    return States.change("write", path, () -> plain.transferFrom(from, position, count));
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    return States.change("map", path, () -> plain.map(mode, position, size));
  }

  @Override
  public void force(boolean metadata) throws IOException {
    plain.force(metadata);
    States.note("sync", path);
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    return plain.read(to);
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
    return plain.read(to, offset, length);
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    return plain.read(to, position);
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
    return plain.transferTo(position, count, to);
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
    plain.close();
  }
}
