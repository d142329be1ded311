package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.userspace.UserspaceChannel;
import io.vertxscr.storage.userspace.UserspaceChannel.Access;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** An open file, or a directory that is open to be synced. */
final class SimulatedChannel extends UserspaceChannel {
  private final SimulatedFileSystem system;
  private final UserspacePath path;
  private final SimulatedDisk disk;
  private final Inode file;
  private boolean locked;
  private boolean wrote;

  SimulatedChannel(SimulatedFileSystem system, UserspacePath path, Inode file, Access access) {
    super(access);
    this.system = system;
    this.path = path;
    this.disk = system.disk(path);
    this.file = file;
    system.opened(this, path);
  }

  private void requireFile() throws IOException {
    requireOpen();
    if (file.isDirectory()) {
      throw new IOException(path + ": Is a directory");
    }
  }

  @Override
  public int read(ByteBuffer to, long at) throws IOException {
    system.enters();
    requireFile();
    requireReads();
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
  protected int append(ByteBuffer from) throws IOException {
    system.enters();
    return writeNow(from, file.size());
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    system.enters();
    return writeNow(from, at);
  }

  private int writeNow(ByteBuffer from, long at) throws IOException {
    requireFile();
    requireWrites();
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
  public long size() throws IOException {
    requireFile();
    return file.size();
  }

  @Override
  protected void cut(long size) throws IOException {
    system.enters();
    requireFile();
    requireWrites();
    system.before(Operation.TRUNCATE, path);
    file.truncate(Math.toIntExact(Math.min(size, file.size())), system.node());
    system.touched(path, file);
  }

  @Override
  public void force(boolean metadata) throws IOException {
    system.enters();
    requireOpen();
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
