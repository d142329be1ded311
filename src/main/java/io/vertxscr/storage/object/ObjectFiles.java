package io.vertxscr.storage.object;

import io.vertxscr.storage.object.LockLeases.Lease;
import io.vertxscr.storage.object.ObjectFileSystem.MountContext;
import io.vertxscr.storage.object.ObjectStore.Condition;
import io.vertxscr.storage.object.ObjectStore.ConditionFailedException;
import io.vertxscr.storage.object.ObjectStore.Found;
import io.vertxscr.storage.object.ObjectStore.ObjectList;
import io.vertxscr.storage.object.ObjectStore.OpenUpload;
import io.vertxscr.storage.userspace.UserspaceAttributeView;
import io.vertxscr.storage.userspace.UserspaceChannel.Access;
import io.vertxscr.storage.userspace.UserspaceFiles;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
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
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The operations of an {@link ObjectFileSystem}. */
final class ObjectFiles extends UserspaceFiles {
  private static final int STRIPES = 64;

  private final ObjectFileSystem system;
  private final ObjectStore store;
  private final String keyPrefix;
  private final int partBytes;
  private final Supplier<String> ids;
  private final LockLeases leases;
  /** Files that this process writes, until they are in the store and closed, or renamed. */
  private final Map<String, WrittenObject> written = new ConcurrentHashMap<>();
  private final Object[] turns = Stream.generate(Object::new).limit(STRIPES).toArray();

  ObjectFiles(ObjectFileSystem system, ObjectStore store, String keyPrefix, int partBytes, MountContext context) {
    super(system, "object");
    this.system = system;
    this.store = store;
    this.keyPrefix = keyPrefix;
    this.partBytes = partBytes;
    this.ids = context.ids();
    this.leases = new LockLeases(store, context.nanos(), ids);
  }

  LockLeases leases() {
    return leases;
  }

  /**
   * Writes a whole object. A write that has happened and is repeated, because its answer was lost, fails by its own
   * condition; it is recognised by what it has written.
   */
  static Found put(ObjectStore store, String key, ByteBuffer bytes, Map<String, String> metadata, Condition condition)
      throws IOException {
    try {
      return store.put(key, bytes.duplicate(), metadata, condition);
    } catch (ConditionFailedException e) {
      Optional<Found> there = store.head(key)
          .filter(found -> found.bytes() == bytes.remaining() && found.metadata().equals(metadata));
      if (there.isPresent() && ByteBuffer.wrap(
          store.get(key, there.get().etag(), 0, bytes.remaining())).equals(bytes)) {
        return there.get();
      }
      throw e;
    }
  }

  private boolean isInside(UserspacePath path) {
    return path.startsWith(system.mount());
  }

  /** Empty for the mounted directory itself, where there is no prefix. */
  private String key(UserspacePath path) throws IOException {
    if (!isInside(path)) {
      throw new NoSuchFileException(path.toString(), null, "is not below " + system.mount());
    }
    return keyPrefix + system.mount().relativize(path);
  }

  private Object turn(String key) {
    return turns[Math.floorMod(key.hashCode(), STRIPES)];
  }

  private String directory(UserspacePath path) throws IOException {
    return path.equals(system.mount()) ? keyPrefix : key(path) + "/";
  }

  /** What is there; empty: nothing. */
  private Optional<ObjectAttributes> look(UserspacePath path) throws IOException {
    if (!isInside(path)) {
      return system.mount().startsWith(path) ? Optional.of(ObjectAttributes.ofDirectory()) : Optional.empty();
    }
    if (path.equals(system.mount())) {
      store.list(keyPrefix, true, 1);                     // fails where the bucket is not there
      return Optional.of(ObjectAttributes.ofDirectory());
    }
    String key = key(path);
    WrittenObject here = written.get(key);
    if (here != null) {
      return Optional.of(ObjectAttributes.of(here));
    }
    Optional<Found> found = file(key);
    return found.isPresent() ? found.map(ObjectAttributes::of)
        : isDirectory(path) ? Optional.of(ObjectAttributes.ofDirectory()) : Optional.empty();
  }

  /** The file's object. A draft that another process left unfinished is none. */
  private Optional<Found> file(String key) throws IOException {
    Optional<Found> found = store.head(key).filter(one -> !ObjectStamp.of(one).draft());
    leases.saw(key, found.map(Found::etag));
    return found;
  }

  private boolean isDirectory(UserspacePath path) throws IOException {
    ObjectList listing = store.list(directory(path), true, 1);
    return !listing.objects().isEmpty() || !listing.prefixes().isEmpty();
  }

  ObjectAttributes require(UserspacePath path) throws IOException {
    return look(path).orElseThrow(() -> new NoSuchFileException(path.toString()));
  }

  @Override
  public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    UserspacePath file = whole(path);
    Access access = Access.of(options);
    if (!access.writes()) {
      return new ObjectChannel(this, file, toRead(file), access);
    }
    String key = key(file);
    synchronized (turn(key)) {
      WrittenObject open = written.get(key);
      if (open != null) {
        if (options.contains(StandardOpenOption.CREATE_NEW)) {
          throw new FileAlreadyExistsException(file.toString());
        }
      } else {
        open = toWrite(file, key, options, attributes);
      }
      if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
        open.truncate(0);
      }
      written.put(key, open);
      open.opened();
      return new ObjectChannel(this, file, new OpenContent.Written(open, store), access);
    }
  }

  private WrittenObject toWrite(
      UserspacePath file, String key, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Optional<Found> found = store.head(key);
    if (found.isPresent() && ObjectStamp.of(found.get()).draft()) {
      store.delete(key);
      found = Optional.empty();
    }
    leases.saw(key, found.map(Found::etag));
    if (found.isPresent()) {
      if (options.contains(StandardOpenOption.CREATE_NEW)) {
        throw new FileAlreadyExistsException(file.toString());
      } else if (found.get().bytes() > partBytes) {
        throw new FileSystemException(file.toString(), null, "an object of " + found.get().bytes()
            + " bytes cannot be changed in place, only one of at most " + partBytes);
      }
      return new WrittenObject(store, partBytes, found.get(), bytes(found.get()),
          !options.contains(StandardOpenOption.APPEND));
    }
    if (!options.contains(StandardOpenOption.CREATE) && !options.contains(StandardOpenOption.CREATE_NEW)) {
      throw new NoSuchFileException(file.toString());
    } else if (isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "Is a directory");
    }
    return new WrittenObject(store, key, partBytes, stamp(attributes));
  }

  private byte[] bytes(Found found) throws IOException {
    return found.bytes() == 0 ? new byte[0] : store.get(found.key(), found.etag(), 0, (int) found.bytes());
  }

  @SuppressWarnings("unchecked")
  private ObjectStamp stamp(FileAttribute<?>... attributes) {
    ObjectStamp stamp = ObjectStamp.of(ids.get());
    for (FileAttribute<?> attribute : attributes) {
      if (attribute.name().equals("posix:permissions")) {
        stamp = stamp.with((Set<PosixFilePermission>) attribute.value());
      }
    }
    return stamp;
  }

  private OpenContent toRead(UserspacePath file) throws IOException {
    if (!isInside(file) || file.equals(system.mount())) {
      require(file);
      return new OpenContent.Directory(file);
    }
    String key = key(file);
    WrittenObject here = written.get(key);
    if (here != null) {
      Optional<byte[]> content = here.content();
      return content.isPresent() ? new OpenContent.Bytes(content.get())
          : new OpenContent.Stored(finished(file, here), store);
    }
    Optional<Found> found = file(key);
    if (found.isPresent()) {
      return new OpenContent.Stored(found.get(), store);
    } else if (isDirectory(file)) {
      return new OpenContent.Directory(file);
    }
    throw new NoSuchFileException(file.toString());
  }

  /** A channel of a file that was written is closed. */
  void closed(WrittenObject file) {
    synchronized (turn(file.key())) {
      if (file.closed()) {
        file.stored().ifPresent(found -> leases.saw(file.key(), Optional.of(found.etag())));
        written.remove(file.key(), file);
      }
    }
  }

  /** Tries to lock a lock file, which is in the store from then on. */
  Optional<Lease> lock(UserspacePath file, boolean shared) throws IOException {
    return leases.take(key(file), shared);
  }

  void replace(Path path, byte[] bytes) throws IOException {
    String key = key(whole(path));
    Condition condition = leases.condition(key);
    leases.requireValid();                                // after the version was asked for, so it was seen under it
    Found found = put(store, key, ByteBuffer.wrap(bytes), ObjectStamp.of(ids.get()).metadata(), condition);
    leases.saw(key, Optional.of(found.etag()));
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
      throws IOException {
    return entries(path, names(whole(path)), filter);
  }

  private Set<String> names(UserspacePath directory) throws IOException {
    if (!require(directory).isDirectory()) {
      throw new NotDirectoryException(directory.toString());
    } else if (!isInside(directory)) {
      return Set.of(system.mount().getName(directory.getNameCount()).toString());
    }
    String prefix = directory(directory);
    ObjectList listing = store.list(prefix, true, Integer.MAX_VALUE);
    Set<String> names = new TreeSet<>();
    Stream.concat(Stream.concat(listing.objects().stream().map(Found::key), listing.prefixes().stream()),
        written.keySet().stream().filter(key -> key.startsWith(prefix))).forEach(key -> {
          String rest = key.substring(prefix.length());
          int slash = rest.indexOf('/');
          String name = slash < 0 ? rest : rest.substring(0, slash);
          if (!name.isEmpty() && !LockLeases.isLease(name)) {
            names.add(name);
          }
        });
    return names;
  }

  @Override
  public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
    UserspacePath directory = whole(path);
    if (look(directory).isPresent()) {
      throw new FileAlreadyExistsException(directory.toString());
    }
    UserspacePath above = (UserspacePath) directory.getParent();
    if (!require(above).isDirectory()) {
      throw new NotDirectoryException(above.toString());
    }
    leases.requireValid();
    try {
      put(store, directory(directory), ByteBuffer.allocate(0), Map.of(), Condition.ABSENT);
    } catch (ConditionFailedException _) {
      throw new FileAlreadyExistsException(directory.toString());
    }
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    UserspacePath name = whole(link);
    if (look(name).isPresent()) {
      throw new FileAlreadyExistsException(name.toString());
    }
    Found found = finished(whole(existing));
    leases.requireValid();
    store.copy(found, key(name), found.metadata());
  }

  /** The object of a file that is there, with the metadata that it would have under another name. */
  private Found finished(UserspacePath file) throws IOException {
    String key = key(file);
    WrittenObject here = written.get(key);
    if (here == null) {
      return file(key).orElseThrow(() -> new NoSuchFileException(file.toString()));
    }
    Found found = finished(file, here);
    return new Found(found.key(), found.bytes(), found.etag(), found.modified(),
        here.stamp().asDraft(false).metadata());
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    UserspacePath from = whole(source);
    UserspacePath to = whole(target);
    if (from.equals(to)) {
      require(from);
      return;
    } else if (!written.containsKey(key(from)) && require(from).isDirectory()) {
      throw new FileSystemException(from.toString(), to.toString(), "a directory of objects cannot be renamed");
    }
    Found found = finished(from);
    leases.requireValid();
    String key = key(to);
    forget(key);
    leases.saw(key, Optional.of(store.copy(found, key, found.metadata()).etag()));
    forget(found.key());
    store.delete(found.key());
  }

  private Found finished(UserspacePath file, WrittenObject here) throws IOException {
    try {
      return here.finish();
    } catch (NoSuchFileException e) {
      throw aborted(file, e);
    }
  }

  /**
   * The store has ended the upload of a file that is written here. A rule of its bucket says so, or somebody else. What
   * was sent is gone: the file is none any more, so that nobody goes on with it.
   */
  FileSystemException aborted(UserspacePath file, NoSuchFileException cause) throws IOException {
    discard(file);
    FileSystemException failure = new FileSystemException(file.toString(), null,
        "the object store has dropped its unfinished upload; it must be written again");
    failure.initCause(cause);
    return failure;
  }

  /** A file of which a part cannot be used again: whoever writes it begins anew. */
  void discard(UserspacePath file) throws IOException {
    forget(key(file));
  }

  /** Aborts uploads of other processes to a directory. @param names of the files. @return how many */
  int abandon(Path path, PathMatcher names) throws IOException {
    String prefix = directory(whole(path));
    leases.requireValid();
    int aborted = 0;
    for (OpenUpload open : store.uploads(prefix)) {
      String name = open.key().substring(prefix.length());
      if (name.indexOf('/') < 0 && names.matches(system.getPath(name))) {
        store.abort(open.key(), open.id());
        aborted++;
      }
    }
    return aborted;
  }

  private void forget(String key) throws IOException {
    synchronized (turn(key)) {
      WrittenObject here = written.remove(key);
      if (here != null) {
        here.end();
      }
    }
  }

  @Override
  public void delete(Path path) throws IOException {
    if (!deleteIfExists(path)) {
      throw new NoSuchFileException(path.toString());
    }
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    UserspacePath file = whole(path);
    String key = key(file);
    leases.requireValid();
    boolean wasHere = written.containsKey(key);
    forget(key);
    if (store.head(key).isPresent()) {
      store.delete(key);
      leases.saw(key, Optional.empty());
      return true;
    }
    return wasHere || deleteDirectory(file);
  }

  private boolean deleteDirectory(UserspacePath path) throws IOException {
    if (path.equals(system.mount()) || !isDirectory(path)) {
      return false;
    }
    String marker = directory(path);
    ObjectList listing = store.list(marker, true, Integer.MAX_VALUE);
    boolean isEmpty = listing.prefixes().isEmpty() && listing.objects().stream().allMatch(one ->
        one.key().equals(marker) || LockLeases.isLease(one.key().substring(marker.length())));
    if (!isEmpty || written.keySet().stream().anyMatch(key -> key.startsWith(marker))) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    for (Found left : listing.objects()) {
      store.delete(left.key());
    }
    return true;
  }

  @Override
  public boolean isSameFile(Path one, Path other) throws IOException {
    if (one.equals(other)) {
      return true;
    } else if (!(other.getFileSystem() instanceof ObjectFileSystem)) {
      return false;
    }
    UserspacePath first = whole(one);
    UserspacePath second = whole(other);
    ObjectAttributes left = require(first);
    ObjectAttributes right = require(second);
    return first.equals(second)
        || !left.isDirectory() && !right.isDirectory() && left.key().equals(right.key()) && left.size() == right.size();
  }

  @Override
  public FileStore getFileStore(Path path) {
    return new ObjectFileStore();
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    require(whole(path));
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
      throws IOException {
    return type.cast(require(whole(path)));
  }

  /** The time at which the store got the object, by its clock, is one that no program sets. */
  @Override
  public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
    if (!attributes.equals("unix:ctime")) {
      throw new UnsupportedOperationException(attributes);
    }
    Found found = file(key(whole(path))).orElseThrow(() -> new NoSuchFileException(path.toString()));
    return Map.of("ctime", FileTime.from(found.modified()));
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
    return type.isAssignableFrom(StampView.class) ? type.cast(new StampView(whole(path))) : null;
  }

  /** Of a file that is being written: with its next sync. Of any other: a copy of the object onto itself. */
  private void stamp(UserspacePath path, UnaryOperator<ObjectStamp> change) throws IOException {
    if (require(path).isDirectory()) {
      return;                                             // a prefix has no attributes
    }
    String key = key(path);
    synchronized (turn(key)) {
      WrittenObject here = written.get(key);
      if (here != null) {
        here.stamp(change.apply(here.stamp()));
        return;
      }
      Found found = file(key).orElseThrow(() -> new NoSuchFileException(path.toString()));
      ObjectStamp before = ObjectStamp.of(found);
      ObjectStamp after = change.apply(before);
      if (!after.equals(before)) {
        leases.requireValid();
        store.copy(found, key, after.metadata());
      }
    }
  }

  /** Mode and time of a file. */
  private final class StampView extends UserspaceAttributeView {
    private final UserspacePath path;

    StampView(UserspacePath path) {
      super(ObjectAttributes.OWNER);
      this.path = path;
    }

    @Override
    public PosixFileAttributes readAttributes() throws IOException {
      return require(path);
    }

    @Override
    protected void setModified(FileTime modified) throws IOException {
      stamp(path, before -> before.at(modified));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
      stamp(path, before -> before.with(permissions));
    }
  }
}
