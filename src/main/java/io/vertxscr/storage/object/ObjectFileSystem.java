package io.vertxscr.storage.object;

import io.vertxscr.storage.WholeFiles;
import io.vertxscr.storage.userspace.UserspaceFileSystem;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.spi.FileSystemProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The objects of a bucket below a prefix, as files below a directory. What files, names and locks mean there:
 * docs/flows/object-store.md. Blocking, thread-safe.
 */
public final class ObjectFileSystem extends UserspaceFileSystem implements WholeFiles {
  /** Name of the kind of its {@link FileStore}. */
  public static final String KIND = "object-store";

  private final UserspacePath mount;
  private final ObjectFiles files;
  private final Function<String, PathMatcher> patterns;

  /**
   * What comes from outside.
   *
   * @param nanos a clock that never jumps
   * @param ids names that nobody else has
   * @param patterns matchers of names, as the machine's file system has them
   */
  public record MountContext(LongSupplier nanos, Supplier<String> ids, Function<String, PathMatcher> patterns) {}

  /**
   * Mounts a bucket.
   *
   * @param mount absolute directory
   * @param keyPrefix before the names of all objects; empty, or with a slash at its end
   * @param partBytes of multipart uploads; a divisor of 64 MiB
   */
  public ObjectFileSystem(
      ObjectStore store, String mount, String keyPrefix, int partBytes, MountContext context) {
    this.mount = getPath(mount);
    this.files = new ObjectFiles(this, store, keyPrefix, partBytes, context);
    this.patterns = context.patterns();
  }

  /** Whether a path is in such a file system. */
  public static boolean has(Path path) {
    return path.getFileSystem() instanceof ObjectFileSystem;
  }

  /** How often {@link #renewLocks} is to be called, by a thread of its own. */
  public static Duration renewal() {
    return LockLeases.RENEWAL;
  }

  /** Renews the locks that this process holds. Blocking. */
  public void renewLocks() {
    files.leases().renew();
  }

  UserspacePath mount() {
    return mount;
  }

  ObjectFiles files() {
    return files;
  }

  @Override
  public void replace(Path path, byte[] bytes) throws IOException {
    files.replace(path, bytes);
  }

  @Override
  public int abandon(Path directory, String pattern) throws IOException {
    return files.abandon(directory, getPathMatcher("glob:" + pattern));
  }

  @Override
  public FileSystemProvider provider() {
    return files;
  }

  @Override
  protected void require(UserspacePath whole) throws IOException {
    files.require(whole);
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of(new ObjectFileStore());
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic", "posix");
  }

  /** Patterns see the path as text, in the form of the machine's paths. */
  @Override
  public PathMatcher getPathMatcher(String pattern) {
    return patterns.apply(pattern);
  }
}
