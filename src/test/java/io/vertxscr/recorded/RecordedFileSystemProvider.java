package io.vertxscr.recorded;

import static io.vertxscr.recorded.RecordedPath.plain;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * For {@code -Djava.nio.file.spi.DefaultFileSystemProvider}: every change is told to {@link States} first. Or the layer
 * of {@link FaultyDisk} over a file system in memory. Times and permissions are no changes.
 */
public final class RecordedFileSystemProvider extends FileSystemProvider {
  private final FileSystemProvider plain;
  private final RecordedFileSystem system;
  private final Watch watch;

  /** Constructor called by the virtual machine. @param plain the one that it would use otherwise */
  public RecordedFileSystemProvider(FileSystemProvider plain) {
    this(plain.getFileSystem(URI.create("file:///")), States.WATCH);
  }

  RecordedFileSystemProvider(FileSystem below, Watch watch) {
    this.plain = below.provider();
    this.system = new RecordedFileSystem(below, this);
    this.watch = watch;
  }

  /** Returns the path in a file system of this kind, if the virtual machine was started without one. */
  public static Path recorded(Path path) {
    return new RecordedFileSystemProvider(path.getFileSystem().provider()).system.getPath(path.toString());
  }

  @Override
  public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Path file = plain(path);
    if (!options.contains(StandardOpenOption.WRITE) && !options.contains(StandardOpenOption.APPEND)) {
      if (watch.seesReads() && Files.isDirectory(file)) {
        return new DirectoryChannel(file, watch);
      }
      FileChannel read = plain.newFileChannel(file, options, attributes);
      return watch.seesReads() || Files.isDirectory(file)  // a directory is opened to be synced
          ? new RecordedChannel(read, file, watch, Files.readAttributes(file, BasicFileAttributes.class).fileKey(),
              false) : read;
    }
    boolean truncates = options.contains(StandardOpenOption.TRUNCATE_EXISTING);
    boolean changes = Files.exists(file) ? truncates && Files.size(file) > 0
        : options.contains(StandardOpenOption.CREATE) || options.contains(StandardOpenOption.CREATE_NEW);
    FileChannel channel = changes
        ? watch.change("open", file, null, () -> plain.newFileChannel(file, options, attributes))
        : plain.newFileChannel(file, options, attributes);
    Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    return new RecordedChannel(channel, file, watch, key, options.contains(StandardOpenOption.APPEND));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
    return newFileChannel(path, options.isEmpty() ? Set.of(StandardOpenOption.READ) : options, attributes);
  }

  @Override
  public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
    if (Files.exists(plain(directory))) {
      plain.createDirectory(plain(directory), attributes);
      return;
    }
    watch.change("make directory", plain(directory), null, () -> {
      plain.createDirectory(plain(directory), attributes);
      return null;
    });
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    watch.change("link", plain(link), plain(existing), () -> {
      plain.createLink(plain(link), plain(existing));
      return null;
    });
  }

  @Override
  public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
    watch.change("symbolic link", plain(link), null, () -> {
      plain.createSymbolicLink(plain(link), plain(target), attributes);
      return null;
    });
  }

  @Override
  public void delete(Path path) throws IOException {
    if (!Files.exists(plain(path), LinkOption.NOFOLLOW_LINKS)) {
      plain.delete(plain(path));
      return;
    }
    watch.change("delete", plain(path), null, () -> {
      plain.delete(plain(path));
      return null;
    });
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) throws IOException {
    watch.change("copy to", plain(target), plain(source), () -> {
      plain.copy(plain(source), plain(target), options);
      return null;
    });
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    watch.change("move to", plain(target), plain(source), () -> {
      plain.move(plain(source), plain(target), watch.seesReads() ? replacing(options) : options);
      return null;
    });
  }

  /** A rename replaces, as POSIX has it; file systems in memory want to be told. */
  private static CopyOption[] replacing(CopyOption... options) {
    return Stream.concat(Stream.of(options), Stream.of(StandardCopyOption.REPLACE_EXISTING)).distinct()
        .toArray(CopyOption[]::new);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
      throws IOException {
    watch.look(directory);
    DirectoryStream<Path> found = plain.newDirectoryStream(
        plain(directory), path -> filter.accept(RecordedPath.of(path, system)));
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return StreamSupport.stream(found.spliterator(), false).map(path -> RecordedPath.of(path, system)).iterator();
      }

      @Override
      public void close() throws IOException {
        found.close();
      }
    };
  }

  @Override
  public Path readSymbolicLink(Path link) throws IOException {
    return RecordedPath.of(plain.readSymbolicLink(plain(link)), system);
  }

  @Override
  public boolean isSameFile(Path a, Path b) throws IOException {
    return plain.isSameFile(plain(a), plain(b));
  }

  @Override
  public boolean isHidden(Path path) throws IOException {
    return plain.isHidden(plain(path));
  }

  @Override
  public FileStore getFileStore(Path path) throws IOException {
    return plain.getFileStore(plain(path));
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    watch.look(path);
    plain.checkAccess(plain(path), modes);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
    return plain.getFileAttributeView(plain(path), type, options);
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
      throws IOException {
    watch.look(path);
    return plain.readAttributes(plain(path), type, options);
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
    watch.look(path);
    return plain.readAttributes(plain(path), attributes, options);
  }

  @Override
  public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
    plain.setAttribute(plain(path), attribute, value, options);
  }

  @Override
  public String getScheme() {
    return plain.getScheme();
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> environment) throws IOException {
    return plain.newFileSystem(uri, environment);
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public Path getPath(URI uri) {
    return RecordedPath.of(plain.getPath(uri), system);
  }
}
