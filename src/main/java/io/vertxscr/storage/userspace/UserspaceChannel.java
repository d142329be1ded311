package io.vertxscr.storage.userspace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * An open file of a {@link UserspaceFileSystem}, or a directory that is open to be synced. It cannot be mapped, and its
 * locks are tried for, not waited for.
 */
public abstract class UserspaceChannel extends FileChannel {
  private final Access access;
  private long position;

  /** For what it was opened. */
  public record Access(boolean reads, boolean writes, boolean appends) {
    /** As the JDK understands these options. */
    public static Access of(Set<? extends OpenOption> options) {
      boolean appends = options.contains(StandardOpenOption.APPEND);
      boolean writes = options.contains(StandardOpenOption.WRITE) || appends;
      return new Access(options.contains(StandardOpenOption.READ) || !writes, writes, appends);
    }
  }

  protected UserspaceChannel(Access access) {
    this.access = access;
  }

  protected final void requireOpen() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  protected final void requireReads() throws IOException {
    requireOpen();
    if (!access.reads) {
      throw new NonReadableChannelException();
    }
  }

  protected final void requireWrites() throws IOException {
    requireOpen();
    if (!access.writes) {
      throw new NonWritableChannelException();
    }
  }

  /** Writes to the end of the file. */
  protected abstract int append(ByteBuffer from) throws IOException;

  /** Cuts the file to this size at most. */
  protected abstract void cut(long mostBytes) throws IOException;

  @Override
  public final int read(ByteBuffer to) throws IOException {
    int count = read(to, position);
    position += Math.max(0, count);
    return count;
  }

  @Override
  public final long read(ByteBuffer[] to, int offset, int length) throws IOException {
    long all = 0;
    for (int i = offset; i < offset + length; i++) {
      int count = read(to[i]);
      if (count < 0) {
        return all == 0 ? -1 : all;
      }
      all += count;
    }
    return all;
  }

  @Override
  public final int write(ByteBuffer from) throws IOException {
    int count = access.appends ? append(from) : write(from, position);
    position = access.appends ? size() : position + count;
    return count;
  }

  @Override
  public final long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long all = 0;
    for (int i = offset; i < offset + length; i++) {
      all += write(from[i]);
    }
    return all;
  }

  @Override
  public final long position() throws IOException {
    requireOpen();
    return position;
  }

  @Override
  public final FileChannel position(long at) throws IOException {
    requireOpen();
    position = at;
    return this;
  }

  @Override
  public final FileChannel truncate(long mostBytes) throws IOException {
    cut(mostBytes);
    position = Math.min(position, mostBytes);
    return this;
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long at, long count) throws IOException {
    throw new UnsupportedOperationException();
  }

  @Override
  public final MappedByteBuffer map(MapMode mode, long at, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final FileLock lock(long at, long size, boolean shared) {
    throw new UnsupportedOperationException("a lock is tried for, not waited for");
  }
}
