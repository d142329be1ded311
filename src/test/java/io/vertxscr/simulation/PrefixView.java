package io.vertxscr.simulation;

import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The prefix file system of all nodes, or the object store in its place. Here nothing of it fails. */
interface PrefixView {
  /** Files of another process, which sees it beside an empty disk. */
  LocalFiles files();

  /** Reads from the files of a process, and knows what that has looked up. */
  <T> Look<T> look(Reader<T> reader) throws IOException;

  /** A byte of a file is another one from now on. @return false: it has none */
  boolean rot(Path file, RandomGenerator random);

  /** Reads. */
  @FunctionalInterface
  interface Reader<T> {
    T read(LocalFiles files) throws IOException;
  }

  /** What was read. */
  interface Look<T> {
    T result();

    /** Whether another read would find the same. */
    boolean holds();
  }

  /** On a disk. */
  record OfDisk(Supplier<SimulatedFileSystem> fresh, SimulatedFileSystem now) implements PrefixView {
    OfDisk(Supplier<SimulatedFileSystem> fresh) {
      this(fresh, fresh.get());
    }

    @Override
    public LocalFiles files() {
      return new LocalFiles(fresh.get());
    }

    @Override
    public <T> Look<T> look(Reader<T> reader) throws IOException {
      Sighting<T> sighting = Sighting.of(fresh, view -> reader.read(new LocalFiles(view)));
      return new Look<>() {
        @Override
        public T result() {
          return sighting.result();
        }

        @Override
        public boolean holds() {
          return sighting.holds(now);
        }
      };
    }

    @Override
    public boolean rot(Path file, RandomGenerator random) {
      SimulatedDisk.Inode there = now.find(now.getPath(file.toString()));
      if (there.size() > 0) {
        there.rot(random.nextInt(there.size()));
      }
      return there.size() > 0;
    }
  }
}
