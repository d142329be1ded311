package io.vertxscr.storage.object;

import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A path of an {@link ObjectFileSystem}. There are no links, so a normal one is a real one. Immutable. */
final class ObjectPath implements Path {
  private final ObjectFileSystem system;
  private final boolean absolute;
  private final List<String> names;

  private ObjectPath(ObjectFileSystem system, boolean absolute, List<String> names) {
    this.system = system;
    this.absolute = absolute;
    this.names = names.isEmpty() && !absolute ? List.of("") : names;
  }

  static ObjectPath of(ObjectFileSystem system, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidPathException(text, "Nul character not allowed");
    }
    return new ObjectPath(
        system, text.startsWith("/"), Stream.of(text.split("/")).filter(name -> !name.isEmpty()).toList());
  }

  private ObjectPath with(boolean isAbsolute, List<String> other) {
    return new ObjectPath(system, isAbsolute, List.copyOf(other));
  }

  private ObjectPath here(Path other) {
    return other instanceof ObjectPath path ? path : of(system, other.toString());
  }

  private boolean isEmpty() {
    return !absolute && names.size() == 1 && names.getFirst().isEmpty();
  }

  @Override
  public ObjectFileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public Path getRoot() {
    return absolute ? with(true, List.of()) : null;
  }

  @Override
  public Path getFileName() {
    return names.isEmpty() ? null : with(false, List.of(names.getLast()));
  }

  @Override
  public Path getParent() {
    return names.isEmpty() || names.size() == 1 && !absolute ? null
        : with(absolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public Path getName(int index) {
    return subpath(index, index + 1);
  }

  @Override
  public Path subpath(int begin, int end) {
    if (begin < 0 || begin >= end || end > names.size()) {
      throw new IllegalArgumentException("names " + begin + " to " + end + " of " + this);
    }
    return with(false, names.subList(begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof ObjectPath path && path.absolute == absolute && path.names.size() <= names.size()
        && (!path.isEmpty() || isEmpty()) && names.subList(0, path.names.size()).equals(path.names);
  }

  @Override
  public boolean endsWith(Path other) {
    ObjectPath path = here(other);
    return path.absolute ? equals(path) : path.names.size() <= names.size()
        && names.subList(names.size() - path.names.size(), names.size()).equals(path.names);
  }

  @Override
  public Path normalize() {
    List<String> kept = new ArrayList<>();
    for (String name : names) {
      if (name.equals("..") && !kept.isEmpty() && !kept.getLast().equals("..")) {
        kept.removeLast();
      } else if (!name.equals(".") && !name.isEmpty() && !(name.equals("..") && absolute)) {
        kept.add(name);
      }
    }
    return with(absolute, kept);
  }

  @Override
  public Path resolve(Path other) {
    ObjectPath path = here(other);
    if (path.absolute || isEmpty()) {
      return path;
    }
    return path.isEmpty() ? this : with(absolute, Stream.concat(names.stream(), path.names.stream()).toList());
  }

  @Override
  public Path resolve(String other) {
    return resolve(of(system, other));
  }

  @Override
  public Path relativize(Path other) {
    ObjectPath path = here(other);
    if (path.absolute != absolute) {
      throw new IllegalArgumentException(this + " and " + other);
    }
    if (isEmpty()) {
      return path;
    }
    int common = 0;
    while (common < Math.min(names.size(), path.names.size()) && names.get(common).equals(path.names.get(common))) {
      common++;
    }
    List<String> way = new ArrayList<>();
    for (int i = common; i < names.size(); i++) {
      way.add("..");
    }
    way.addAll(path.names.subList(common, path.names.size()));
    return with(false, way);
  }

  @Override
  public URI toUri() {
    return URI.create(system.provider().getScheme() + "://" + toAbsolutePath());
  }

  @Override
  public Path toAbsolutePath() {
    return absolute ? this : with(true, List.of()).resolve(this);
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    ObjectPath real = (ObjectPath) toAbsolutePath().normalize();
    system.files().require(real);
    return real;
  }

  @Override
  public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ObjectPath path && path.system == system && path.absolute == absolute
        && path.names.equals(names);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(new Object[] {absolute, names});
  }

  @Override
  public String toString() {
    return (absolute ? "/" : "") + String.join("/", names);
  }
}
