package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
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

/** An open file, or a directory that is open to be synced. */
final class SimulatedChannel extends FileChannel {
  private final SimulatedFileSystem system;
  private final SimulatedPath path;
  private final SimulatedDisk disk;
  private final Inode file;
  private final boolean reads;
  private final boolean writes;
  private final boolean appends;
  private long position;
  private boolean locked;
  private boolean wrote;

  SimulatedChannel(SimulatedFileSystem system, SimulatedPath path, Inode file, boolean reads, boolean writes,
      boolean appends) {
    this.system = system;
    this.path = path;
    this.disk = system.disk(path);
    this.file = file;
    this.reads = reads;
    this.writes = writes;
    this.appends = appends;
    system.opened(this, path);
  }

  private void check() throws IOException {
    if (!isOpen()) {
      throw new ClosedChannelException();
    } else if (file.isDirectory()) {
      throw new IOException(path + ": Is a directory");
    }
  }

  private void checkReads() throws IOException {
    check();
    if (!reads) {
      throw new NonReadableChannelException();
    }
  }

  private void checkWrites() throws IOException {
    check();
    if (!writes) {
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
    system.enters();
    checkReads();
    system.before(Operation.READ, path);
    checkLock();
    if (at >= file.size()) {
      return to.hasRemaining() ? -1 : 0;
    }
    int count = (int) Math.min(to.remaining(), file.size() - at);
    to.put(file.raw(), (int) at, count);
    system.reads(path, count);
    return count;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    system.enters();
    long at = appends ? file.size() : position;
    int count = writeNow(from, at);
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
    system.enters();
    return writeNow(from, at);
  }

  private int writeNow(ByteBuffer from, long at) throws IOException {
    checkWrites();
    try {
      system.before(Operation.WRITE, path);
    } catch (IOException | NodeDeath e) {
      put(from.duplicate().limit(from.position() + from.remaining() / 2), at);
      throw e;
    }
    checkLock();
    long room = Math.max(0, file.size() - at) + system.freeBytes(path);
    if (room < from.remaining()) {
      int count = put(from.slice(from.position(), (int) room), at);
      from.position(from.position() + count);             // the next write has no room at all
      return count;
    }
    return put(from, at);
  }

  /** Who has lost a lock hears so when it uses the file, as of NFS. */
  private void checkLock() throws IOException {
    if (locked && !disk.isLocked(file, system.node())) {
      throw new IOException("Input/output error");
    }
  }

  private int put(ByteBuffer from, long at) {
    int count = from.remaining();
    wrote |= count > 0;
    if (count > 0) {
      from.get(file.reserve(Math.toIntExact(at), count, system.node()), (int) at, count);
      system.touched(path, file);
    }
    return count;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long at) {
    position = at;
    return this;
  }

  @Override
  public long size() throws IOException {
    check();
    return file.size();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    system.enters();
    checkWrites();
    system.before(Operation.TRUNCATE, path);
    file.truncate(Math.toIntExact(Math.min(size, file.size())), system.node());
    system.touched(path, file);
    position = Math.min(position, size);
    return this;
  }

  @Override
  public void force(boolean metadata) throws IOException {
    system.enters();
    if (!isOpen()) {
      throw new ClosedChannelException();
    }
    try {
      system.before(Operation.SYNC, path);
    } catch (IOException e) {
      if (wrote || system.isShared(path)) {               // what the daemon can write again
        disk.syncFails(file, system.node());
      }
      throw e;
    }
    disk.sync(file);
  }

  @Override
  public long transferTo(long at, long count, WritableByteChannel to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(count, Math.max(0, file.size() - at)));
    return read(bytes, at) <= 0 ? 0 : to.write(bytes.flip());
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long at, long count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(count, 1 << 16));
    return from.read(bytes) <= 0 ? 0 : write(bytes.flip(), at);
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long at, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long at, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock tryLock(long at, long size, boolean shared) {
    if (!disk.lock(file, system.node(), shared)) {
      return null;
    }
    locked = true;
    system.touched(path, file);
    return new FileLock(this, at, size, shared) {
      @Override
      public boolean isValid() {
        return locked;
      }

      @Override
      public void release() {
        unlock();
      }
    };
  }

  private void unlock() {
    if (locked) {
      locked = false;
      disk.unlock(file, system.node());
    }
  }

  @Override
  protected void implCloseChannel() throws IOException {
    system.closed(this);
    unlock();
    system.before(Operation.CLOSE, path);
    system.touched(path, file);
  }
}
