package io.vertxscr.storage.object;

import io.vertxscr.storage.object.LockLeases.Lease;
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
import java.nio.file.FileSystemException;
import java.util.Optional;

/** An open file of an {@link ObjectFileSystem}, or a directory that is open to be synced. For one thread at a time. */
final class ObjectChannel extends FileChannel {
  private final ObjectFiles files;
  private final ObjectPath path;
  private final OpenContent content;
  private final Access access;
  private long position;
  private Optional<Lease> lease = Optional.empty();

  /** For what it was opened. */
  record Access(boolean reads, boolean writes, boolean appends) {}

  ObjectChannel(ObjectFiles files, ObjectPath path, OpenContent content, Access access) {
    this.files = files;
    this.path = path;
    this.content = content;
    this.access = access;
  }

  private void checkOpen() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
  }

  private void checkWrites() throws IOException {
    checkOpen();
    if (!access.writes) {
      throw new NonWritableChannelException();
    }
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    int count = read(to, position);
    position += Math.max(0, count);
    return count;
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
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
  public int read(ByteBuffer to, long at) throws IOException {
    checkOpen();
    if (!access.reads) {
      throw new NonReadableChannelException();
    }
    return content.read(to, at);
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    long at = access.appends ? content.size() : position;
    int count = write(from, at);
    position = at + count;
    return count;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long all = 0;
    for (int i = offset; i < offset + length; i++) {
      all += write(from[i]);
    }
    return all;
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    checkWrites();
    return content.write(from, at);
  }

  @Override
  public long position() throws IOException {
    checkOpen();
    return position;
  }

  @Override
  public FileChannel position(long at) throws IOException {
    checkOpen();
    position = at;
    return this;
  }

  @Override
  public long size() throws IOException {
    checkOpen();
    return content.size();
  }

  @Override
  public FileChannel truncate(long most) throws IOException {
    checkWrites();
    try {
      content.truncate(most);
    } catch (FileSystemException e) {
      files.discard(path);
      throw e;
    }
    position = Math.min(position, most);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    checkOpen();
    content.force();
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long at, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long at, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long at, long size, boolean shared) {
    throw new UnsupportedOperationException("a lock of an object store is tried for, not waited for");
  }

  /** Locks the file, the whole of it always. Ends when it is released or the channel closed. */
  @Override
  public FileLock tryLock(long at, long size, boolean shared) throws IOException {
    checkWrites();
    if (lease.isPresent()) {
      throw new IllegalStateException(path + " is locked through this channel already");
    }
    lease = files.lock(path, shared);
    if (lease.isPresent() && content instanceof OpenContent.Written written) {
      boolean refreshed = false;
      try {
        written.file().refresh();
        refreshed = true;
      } finally {
        if (!refreshed) {
          unlock();
        }
      }
    }
    return lease.map(held -> new LeaseLock(this, held, shared)).orElse(null);
  }

  /** A lock of this channel. */
  private static final class LeaseLock extends FileLock {
    private final ObjectChannel channel;
    private final Lease lease;

    LeaseLock(ObjectChannel channel, Lease lease, boolean shared) {
      super(channel, 0, Long.MAX_VALUE, shared);
      this.channel = channel;
      this.lease = lease;
    }

    @Override
    public boolean isValid() {
      return lease.isValid();
    }

    @Override
    public void release() throws IOException {
      channel.unlock();
    }
  }

  private void unlock() throws IOException {
    Optional<Lease> held = lease;
    lease = Optional.empty();
    if (held.isPresent()) {
      held.get().release();
    }
  }

  @Override
  protected void implCloseChannel() throws IOException {
    try {
      if (content instanceof OpenContent.Written written) {
        try {
          written.file().settle();
        } finally {
          files.closed(written.file());
        }
      }
    } finally {
      unlock();
    }
  }
}
