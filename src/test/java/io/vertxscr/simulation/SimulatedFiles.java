package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.userspace.UserspaceAttributeView;
import io.vertxscr.storage.userspace.UserspaceChannel.Access;
import io.vertxscr.storage.userspace.UserspaceFiles;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The operations of a {@link SimulatedFileSystem}, with the meaning that they have on Linux. */
final class SimulatedFiles extends UserspaceFiles {
  private final SimulatedFileSystem system;

  SimulatedFiles(SimulatedFileSystem system) {
    super(system, "simulated");
    this.system = system;
  }

  private Inode existing(UserspacePath path) throws IOException {
    Inode file = system.find(path);
    if (file == null) {
      throw new NoSuchFileException(path.toString());
    }
    return file;
  }

  private Inode parent(UserspacePath path) throws IOException {
    Path above = path.getParent();
    Inode directory = above == null ? null : system.find((UserspacePath) above);
    if (directory == null) {
      throw new NoSuchFileException(path.toString());
    } else if (!directory.isDirectory()) {
      throw new FileSystemException(path.toString(), null, "Not a directory");
    }
    return directory;
  }

  @Override
  public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    system.enters();
    UserspacePath file = whole(path);
    Access access = Access.of(options);
    boolean writes = access.writes();
    boolean creates = writes
        && (options.contains(StandardOpenOption.CREATE) || options.contains(StandardOpenOption.CREATE_NEW));
    Inode inode = creates ? SimulatedFileSystem.now(parent(file), file) : system.find(file);
    if (inode != null && writes && options.contains(StandardOpenOption.CREATE_NEW)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    if (inode == null) {
      if (!creates) {
        throw new NoSuchFileException(file.toString());
      }
      Inode directory = parent(file);
      system.before(Operation.CREATE, file);
      inode = system.disk(file).newFile();
      setModes(inode, attributes);
      put(file, directory, inode);
      system.behind(Operation.CREATE, file);
    } else {
      if (writes && inode.isDirectory()) {
        throw new FileSystemException(file.toString(), null, "Is a directory");
      }
      system.before(Operation.OPEN, file);
      if (writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
        inode.truncate(0, system.node());
      }
    }
    system.touched(file, inode);
    return new SimulatedChannel(system, file, inode, access);
  }

  @SuppressWarnings("unchecked")
  private static void setModes(Inode inode, FileAttribute<?>... attributes) {
    for (FileAttribute<?> attribute : attributes) {
      if (attribute.name().equals("posix:permissions")) {
        inode.mode = Set.copyOf((Set<PosixFilePermission>) attribute.value());
      }
    }
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
      throws IOException {
    system.enters();
    Inode directory = existing(whole(path));
    if (!directory.isDirectory()) {
      throw new NotDirectoryException(path.toString());
    }
    system.before(Operation.LIST, whole(path));
    system.listed(whole(path), directory);
    return entries(path, system.names(whole(path), directory), filter);
  }

  @Override
  public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
    system.enters();
    UserspacePath directory = whole(path);
    Inode above = parent(directory);
    if (SimulatedFileSystem.now(above, directory) != null) {
      throw new FileAlreadyExistsException(directory.toString());
    }
    system.before(Operation.MAKE_DIRECTORY, directory);
    put(directory, above, system.disk(directory).newDirectory());
    system.behind(Operation.MAKE_DIRECTORY, directory);
  }

  private void put(UserspacePath path, Inode directory, Inode file) {
    system.disk(path).put(directory, path.name(), file);
    system.changed(path, directory);
  }

  /** What this node sees there, and is there. */
  private Inode present(UserspacePath path) throws IOException {
    existing(path);
    Inode file = SimulatedFileSystem.now(parent(path), path);
    if (file == null) {
      throw new NoSuchFileException(path.toString());
    }
    return file;
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    system.enters();
    UserspacePath name = whole(link);
    Inode above = parent(name);
    if (SimulatedFileSystem.now(above, name) != null) {
      throw new FileAlreadyExistsException(name.toString());
    }
    Inode file = present(whole(existing));
    system.before(Operation.LINK, name);
    put(name, above, file);
    system.touched(name, file);
    system.behind(Operation.LINK, name);
  }

  @Override
  public void delete(Path path) throws IOException {
    system.enters();
    delete(whole(path));
  }

  private void delete(UserspacePath file) throws IOException {
    Inode inode = present(file);
    if (inode.isDirectory() && !inode.entries.isEmpty()) {
      throw new DirectoryNotEmptyException(file.toString());
    }
    system.before(Operation.DELETE, file);
    remove(file);
    system.touched(file, inode);
    system.behind(Operation.DELETE, file);
  }

  private void remove(UserspacePath path) throws IOException {
    Inode directory = parent(path);
    system.disk(path).remove(directory, path.name());
    system.changed(path, directory);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    system.enters();
    UserspacePath file = whole(path);
    if (system.find(file) == null || SimulatedFileSystem.now(parent(file), file) == null) {
      return false;
    }
    delete(file);
    return true;
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    system.enters();
    UserspacePath from = whole(source);
    UserspacePath to = whole(target);
    Inode file = present(from);
    Inode above = parent(to);
    Inode there = SimulatedFileSystem.now(above, to);
    if (there != null && there.isDirectory() && !there.entries.isEmpty()) {
      throw new DirectoryNotEmptyException(to.toString());
    } else if (system.disk(from) != system.disk(to)) {
      throw new FileSystemException(from.toString(), to.toString(), "Invalid cross-device link");
    }
    system.before(Operation.MOVE, to);
    if (there == file) {
      return;
    }
    put(to, above, file);
    remove(from);
    system.touched(to, file);
    system.behind(Operation.MOVE, from);
  }

  @Override
  public boolean isSameFile(Path one, Path other) throws IOException {
    return existing(whole(one)) == existing(whole(other));
  }

  @Override
  public FileStore getFileStore(Path path) {
    UserspacePath whole = whole(path);
    return new SimulatedFileStore(system.kind(), system.totalBytes(whole), () -> system.freeBytes(whole));
  }

  @Override
  public boolean exists(Path path, LinkOption... options) {
    try {
      system.looks(path);
    } catch (IOException _) {
      return false;                                       // as the JDK says
    }
    return system.find(whole(path)) != null;
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    system.looks(path);
    Inode file = existing(whole(path));
    for (AccessMode mode : modes) {
      if (mode == AccessMode.WRITE && !file.mode.contains(PosixFilePermission.OWNER_WRITE)) {
        throw new AccessDeniedException(path.toString());
      }
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public <A extends BasicFileAttributes> A readAttributesIfExists(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    system.looks(path);
    Inode file = system.find(whole(path));
    return file == null ? null : (A) system.attributes(whole(path), file);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
      throws IOException {
    system.looks(path);
    return (A) system.attributes(whole(path), existing(whole(path)));
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
    system.looks(path);
    SimulatedAttributes file = system.attributes(whole(path), existing(whole(path)));
    if (!attributes.startsWith("unix:")) {
      throw new UnsupportedOperationException(attributes);
    }
    Map<String, Object> values = new HashMap<>();
    for (String name : attributes.substring("unix:".length()).split(",")) {
      values.put(name, switch (name) {
        case "dev" -> (long) (system.isShared(whole(path)) ? 2 : 1);
        case "ctime" -> SimulatedAttributes.time(file.changedNs());
        case "lastModifiedTime" -> file.lastModifiedTime();
        case "nlink" -> file.links();
        case "ino" -> file.number();
        case "size" -> file.size();
        case "mode" -> file.permissions().stream().mapToInt(bit -> 0400 >> bit.ordinal()).sum();
        case "isRegularFile" -> file.isRegularFile();
        default -> throw new UnsupportedOperationException(name);
      });
    }
    return values;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
    return type.isAssignableFrom(View.class) ? (V) new View(whole(path)) : null;
  }

  /** A view of a file's attributes. */
  private final class View extends UserspaceAttributeView {
    private final UserspacePath path;

    View(UserspacePath path) {
      super(SimulatedAttributes.OWNER);
      this.path = path;
    }

    @Override
    public PosixFileAttributes readAttributes() throws IOException {
      system.looks(path);
      return system.attributes(path, existing(path));
    }

    @Override
    protected void setModified(FileTime modified) throws IOException {
      existing(path).modifiedNs = modified.to(TimeUnit.NANOSECONDS);
      existing(path).changes();
      system.touched(path, existing(path));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
      existing(path).mode = permissions.isEmpty() ? Set.of() : EnumSet.copyOf(permissions);
      existing(path).changes();
      system.touched(path, existing(path));
    }
  }
}
