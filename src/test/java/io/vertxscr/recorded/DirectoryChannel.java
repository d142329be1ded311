package io.vertxscr.recorded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** A directory that is opened to be synced, where the plain file system has nothing of that kind. */
final class DirectoryChannel extends FileChannel {
  private final Path path;
  private final Watch watch;
  private final Object key;

  DirectoryChannel(Path path, Watch watch) throws IOException {
    this.path = path;
    this.watch = watch;
    this.key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  @Override
  public void force(boolean metadata) throws IOException {
    watch.sync(path, key, () -> null);
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    throw isDirectory();
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) throws IOException {
    throw isDirectory();
  }

  @Override
  public int read(ByteBuffer to, long position) throws IOException {
    throw isDirectory();
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    throw isDirectory();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    throw isDirectory();
  }

  @Override
  public int write(ByteBuffer from, long position) throws IOException {
    throw isDirectory();
  }

  @Override
  public long position() throws IOException {
    throw isDirectory();
  }

  @Override
  public FileChannel position(long position) throws IOException {
    throw isDirectory();
  }

  @Override
  public long size() throws IOException {
    throw isDirectory();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    throw isDirectory();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel to) throws IOException {
    throw isDirectory();
  }

  @Override
  public long transferFrom(ReadableByteChannel from, long position, long count) throws IOException {
    throw isDirectory();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    throw isDirectory();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    throw isDirectory();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    throw isDirectory();
  }

  @Override
  protected void implCloseChannel() {
    // Nothing is open.
  }

  private IOException isDirectory() {
    return new IOException(path + ": Is a directory");
  }
}
