package io.vertxscr.simulation;

import io.vertxscr.simulation.SimulatedDisk.Inode;
import io.vertxscr.storage.userspace.UserspacePath;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * What was read from the shared file system, and all that was looked up for it. As long as none of that has changed,
 * another read would find the same.
 */
final class Sighting<T> {
  private final T result;
  private final Map<UserspacePath, State> seen;

  /** What a path led to. A directory that was only on the way may get other entries. */
  private record State(Inode file, OptionalLong version) {
    boolean holds(Inode now) {
      return now == file && (version.isEmpty() || version.getAsLong() == now.version());
    }
  }

  /** Reads from a file system whose operations do not fail. */
  @FunctionalInterface
  interface Reader<T> {
    T read(SimulatedFileSystem files) throws IOException;
  }

  private Sighting(T result, Map<UserspacePath, State> seen) {
    this.result = result;
    this.seen = seen;
  }

  /** @param fresh another view of the shared file system, beside an empty disk */
  static <T> Sighting<T> of(Supplier<SimulatedFileSystem> fresh, Reader<T> reader) throws IOException {
    Map<UserspacePath, State> seen = new LinkedHashMap<>();
    SimulatedFileSystem files = fresh.get();
    files.watch((path, file, inside) -> {
      if (inside) {
        seen.put(path, new State(file, OptionalLong.of(file.version())));
      } else {
        seen.putIfAbsent(path, new State(file, OptionalLong.empty()));
      }
    });
    T result = reader.read(files);
    return new Sighting<>(result, seen);
  }

  T result() {
    return result;
  }

  /** Whether a read would find it again. */
  boolean holds(SimulatedFileSystem files) {
    for (Map.Entry<UserspacePath, State> one : seen.entrySet()) {
      if (!one.getValue().holds(files.find(one.getKey()))) {
        return false;
      }
    }
    return true;
  }
}
