package io.vertxscr.storage.object;

import io.vertxscr.storage.object.LockLeases.Lease;
import io.vertxscr.storage.userspace.UserspaceChannel;
import io.vertxscr.storage.userspace.UserspaceChannel.Access;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/** An open file of an {@link ObjectFileSystem}, or a directory that is open to be synced. For one thread at a time. */
final class ObjectChannel extends UserspaceChannel {
  private final ObjectFiles files;
  private final UserspacePath path;
  private final OpenContent content;
  private Optional<Lease> lease = Optional.empty();

  ObjectChannel(ObjectFiles files, UserspacePath path, OpenContent content, Access access) {
    super(access);
    this.files = files;
    this.path = path;
    this.content = content;
  }

  @Override
  public int read(ByteBuffer to, long at) throws IOException {
    requireReads();
    return content.read(to, at);
  }

  @Override
  protected int append(ByteBuffer from) throws IOException {
    return write(from, content.size());
  }

  @Override
  public int write(ByteBuffer from, long at) throws IOException {
    requireWrites();
    try {
      return content.write(from, at);
    } catch (NoSuchFileException e) {
      throw files.aborted(path, e);
    }
  }

  @Override
  public long size() throws IOException {
    requireOpen();
    return content.size();
  }

  @Override
  protected void cut(long most) throws IOException {
    requireWrites();
    try {
      content.truncate(most);
    } catch (FileSystemException e) {
      files.discard(path);
      throw e;
    }
  }

  @Override
  public void force(boolean metadata) throws IOException {
    requireOpen();
    try {
      content.force();
    } catch (NoSuchFileException e) {
      throw files.aborted(path, e);
    }
  }

  /** Locks the file, the whole of it always. Ends when it is released or the channel closed. */
  @Override
  public FileLock tryLock(long at, long size, boolean shared) throws IOException {
    requireWrites();
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
