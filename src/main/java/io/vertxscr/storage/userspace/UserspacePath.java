package io.vertxscr.storage.userspace;

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

/** A path of a {@link UserspaceFileSystem}. There are no links, so a normal one is a real one. Immutable. */
public final class UserspacePath implements Path {
  private final UserspaceFileSystem system;
  private final boolean absolute;
  private final String[] names;
  private String text;

  private UserspacePath(UserspaceFileSystem system, boolean absolute, String... names) {
    this.system = system;
    this.absolute = absolute;
    this.names = names;
  }

  /** @throws InvalidPathException if it has a NUL character */
  static UserspacePath of(UserspaceFileSystem system, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new InvalidPathException(text, "Nul character not allowed");
    }
    boolean absolute = text.startsWith("/");
    int count = 0;
    for (int at = 0; at < text.length(); at++) {
      count += beginsName(text, at) ? 1 : 0;
    }
    if (count == 0) {
      return absolute ? new UserspacePath(system, true) : new UserspacePath(system, false, "");
    }
    String[] names = new String[count];
    int begin = 0;
    for (int i = 0; i < count; i++) {
      while (text.charAt(begin) == '/') {
        begin++;
      }
      int slash = text.indexOf('/', begin);
      int end = slash < 0 ? text.length() : slash;
      names[i] = text.substring(begin, end);
      begin = end;
    }
    return new UserspacePath(system, absolute, names);
  }

  private static boolean beginsName(String text, int at) {
    return text.charAt(at) != '/' && (at == 0 || text.charAt(at - 1) == '/');
  }

  /** The last name of a path that is not the root. */
  public String name() {
    return names[names.length - 1];
  }

  /** The text of {@link #getName}. */
  public String name(int index) {
    return names[index];
  }

  private UserspacePath with(boolean isAbsolute, String... newNames) {
    return new UserspacePath(system, isAbsolute, newNames.length == 0 && !isAbsolute ? new String[] {""} : newNames);
  }

  private UserspacePath here(Path other) {
    return other instanceof UserspacePath path ? path : of(system, other.toString());
  }

  private boolean isEmpty() {
    return !absolute && names.length == 1 && names[0].isEmpty();
  }

  @Override
  public UserspaceFileSystem getFileSystem() {
    return system;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public Path getRoot() {
    return absolute ? with(true) : null;
  }

  @Override
  public Path getFileName() {
    return names.length == 0 ? null : with(false, names[names.length - 1]);
  }

  @Override
  public Path getParent() {
    return names.length == 0 || names.length == 1 && !absolute ? null
        : with(absolute, Arrays.copyOf(names, names.length - 1));
  }

  @Override
  public int getNameCount() {
    return names.length;
  }

  @Override
  public Path getName(int index) {
    return subpath(index, index + 1);
  }

  @Override
  public Path subpath(int begin, int end) {
    if (begin < 0 || begin >= end || end > names.length) {
      throw new IllegalArgumentException("names " + begin + " to " + end + " of " + this);
    }
    return with(false, Arrays.copyOfRange(names, begin, end));
  }

  @Override
  public boolean startsWith(Path other) {
    return other instanceof UserspacePath path && path.absolute == absolute && path.names.length <= names.length
        && (!path.isEmpty() || isEmpty())
        && Arrays.equals(path.names, 0, path.names.length, names, 0, path.names.length);
  }

  @Override
  public boolean endsWith(Path other) {
    UserspacePath path = here(other);
    return path.absolute ? equals(path) : path.names.length <= names.length && Arrays.equals(
        path.names, 0, path.names.length, names, names.length - path.names.length, names.length);
  }

  @Override
  public Path normalize() {
    if (isNormal()) {
      return this;
    }
    List<String> kept = new ArrayList<>(names.length);
    for (String name : names) {
      if (name.equals("..") && !kept.isEmpty() && !kept.getLast().equals("..")) {
        kept.removeLast();
      } else if (!name.equals(".") && !name.isEmpty() && !(name.equals("..") && absolute)) {
        kept.add(name);
      }
    }
    return with(absolute, kept.toArray(String[]::new));
  }

  /** Nearly all are. */
  private boolean isNormal() {
    for (String name : names) {
      if (name.isEmpty() || name.equals(".") || name.equals("..")) {
        return false;
      }
    }
    return true;
  }

  @Override
  public Path resolve(Path other) {
    UserspacePath path = here(other);
    if (path.absolute) {
      return path;
    } else if (path.isEmpty()) {
      return this;
    } else if (isEmpty()) {
      return path;
    }
    String[] all = Arrays.copyOf(names, names.length + path.names.length);
    System.arraycopy(path.names, 0, all, names.length, path.names.length);
    return with(absolute, all);
  }

  @Override
  public Path resolve(String other) {
    return resolve(of(system, other));
  }

  @Override
  public Path relativize(Path other) {
    UserspacePath path = here(other);
    if (path.absolute != absolute) {
      throw new IllegalArgumentException(this + " and " + other);
    }
    if (isEmpty()) {
      return path;
    }
    int common = 0;
    while (common < names.length && common < path.names.length && names[common].equals(path.names[common])) {
      common++;
    }
    List<String> way = new ArrayList<>();
    for (int i = common; i < names.length; i++) {
      way.add("..");
    }
    way.addAll(Arrays.asList(path.names).subList(common, path.names.length));
    return with(false, way.toArray(String[]::new));
  }

  @Override
  public URI toUri() {
    return URI.create(system.provider().getScheme() + "://" + toAbsolutePath());
  }

  @Override
  public Path toAbsolutePath() {
    return absolute ? this : system.getPath("/").resolve(this);
  }

  /** The absolute path without names that lead nowhere else. */
  public UserspacePath whole() {
    return (UserspacePath) toAbsolutePath().normalize();
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    UserspacePath real = whole();
    system.require(real);
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
    return this == other || other instanceof UserspacePath path && path.system == system && path.absolute == absolute
        && Arrays.equals(path.names, names);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(names);
  }

  @Override
  public String toString() {
    if (text == null) {
      text = (absolute ? "/" : "") + String.join("/", names);
    }
    return text;
  }
}
