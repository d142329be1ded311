package io.vertxscr.storage.userspace;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NotLinkException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operations of a {@link UserspaceFileSystem}, as far as all refuse or do the same. */
public abstract class UserspaceFiles extends FileSystemProvider {
  private final UserspaceFileSystem system;
  private final String scheme;

  /** @param scheme of its URIs */
  protected UserspaceFiles(UserspaceFileSystem system, String scheme) {
    this.system = system;
    this.scheme = scheme;
  }

  /** The absolute path without names that lead nowhere else. */
  protected static UserspacePath whole(Path path) {
    return ((UserspacePath) path).whole();
  }

  @Override
  public final SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
    return newFileChannel(path, options, attributes);
  }

  /** The entries of a directory with these names. */
  protected static DirectoryStream<Path> entries(
      Path directory, Collection<String> names, DirectoryStream.Filter<? super Path> filter) throws IOException {
    List<Path> found = new ArrayList<>();
    for (String name : names) {
      Path entry = directory.resolve(name);
      if (filter.accept(entry)) {
        found.add(entry);
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return found.iterator();
      }

      @Override
      public void close() {
        // nothing is open
      }
    };
  }

  @Override
  public final void copy(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final boolean isHidden(Path path) {
    return path.getFileName().toString().startsWith(".");
  }

  @Override
  public final Path readSymbolicLink(Path link) throws IOException {
    system.require(whole(link));
    throw new NotLinkException(link.toString());
  }

  @Override
  public final void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
    throw new UnsupportedOperationException(attribute);
  }

  @Override
  public final String getScheme() {
    return scheme;
  }

  @Override
  public final FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public final Path getPath(URI uri) {
    return system.getPath(uri.getPath());
  }
}
