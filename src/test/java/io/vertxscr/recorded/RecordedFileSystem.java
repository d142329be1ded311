package io.vertxscr.recorded;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Set;
import java.util.stream.StreamSupport;

/** A file system whose changes are seen. */
final class RecordedFileSystem extends FileSystem {
  private final FileSystem plain;
  private final RecordedFileSystemProvider provider;

  RecordedFileSystem(FileSystem plain, RecordedFileSystemProvider provider) {
    this.plain = plain;
    this.provider = provider;
  }

  boolean isOfTheMachine() {
    return plain.provider().getScheme().equals("file");
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public Path getPath(String first, String... more) {
    return RecordedPath.of(plain.getPath(first, more), this);
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return StreamSupport.stream(plain.getRootDirectories().spliterator(), false)
        .map(root -> RecordedPath.of(root, this)).toList();
  }

  @Override
  public PathMatcher getPathMatcher(String pattern) {
    PathMatcher matcher = plain.getPathMatcher(pattern);
    return path -> matcher.matches(RecordedPath.plain(path));
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return plain.isReadOnly();
  }

  @Override
  public String getSeparator() {
    return plain.getSeparator();
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return plain.getFileStores();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return plain.supportedFileAttributeViews();
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    return plain.getUserPrincipalLookupService();
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException();
  }
}
