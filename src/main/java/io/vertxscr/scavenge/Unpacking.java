package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.container.ContainerPaths;
import io.vertxscr.prefix.copy.container.ContainerReader;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Unpacks a scavenged dataset from its containers. A rebuild reads files and redundancy by path. Rank by rank, in
 * parallel; a rank's filemap is replaced when its files are durable, and the containers go last, so that it may be
 * repeated.
 */
final class Unpacking {
  private final PrefixPaths paths;
  private final Path directory;

  Unpacking(PrefixPaths paths, int id) {
    this.paths = paths;
    this.directory = paths.dataset(id);
  }

  /** Unpacks; damaged files are left out, and count as lost. @throws ScrException NO_SPACE, IO */
  void run() {
    copyOut();
    removeContainers();
  }

  /** Unpacks but keeps the containers, to which the map of a published dataset refers. */
  void copyOut() {
    Workers.map(MetadataFiles.list(directory, "*.scrfilemap"), this::unpack);
  }

  /** When nothing is read of them any more. */
  void removeContainers() {
    for (Path containers : MetadataFiles.list(new ContainerPaths(directory).directory(), "scavenged.*")) {
      try {
        Trees.delete(containers);
      } catch (IOException e) {
        throw Faults.io(containers, e);
      }
    }
  }

  private Path unpack(Path filemap) {
    readable(filemap).filter(RankFilemap::packed).ifPresent(map -> {
      Set<Path> directories = new LinkedHashSet<>(List.of(directory));
      List<FileMeta> files = new ArrayList<>();
      List<StoredRedundancy> redundancy = new ArrayList<>();
      try (ContainerReader containers = new ContainerReader(directory)) {
        for (FileMeta file : map.files().files()) {
          if (copy(containers, map.flushed(file), file.name(), directories)) {
            files.add(file);
          }
        }
        for (StoredRedundancy file : map.redundancy()) {
          if (copy(containers, map.flushed(file), file.name(), directories)) {
            redundancy.add(file);
          }
        }
      }
      PrefixDirectories.force(Trees.upTo(paths.prefix(), directories));
      AtomicFile.replace(filemap, RankFilemapFile.encode(new RankFilemap(map.descriptor(), map.worldRanks(),
          map.expectedFiles(), new RankFiles(map.files().rank(), files), redundancy)));
    });
    return filemap;
  }

  private static Optional<RankFilemap> readable(Path filemap) {
    try {
      return MetadataFiles.read(filemap, RankFilemapFile::decode);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return Optional.empty();                            // the scan has said so
    }
  }

  private boolean copy(ContainerReader containers, FlushedFile file, String name, Set<Path> directories) {
    if (file.segments().isEmpty()) {
      return true;
    }
    Path to = NodeDirectories.resolve(directory, name);
    try {
      PrefixDirectories.create(paths.prefix(), to.getParent());
      containers.copy(file, name, to);
      try (FileChannel channel = FileChannel.open(to, StandardOpenOption.READ)) {
        channel.force(true);
      }
      directories.add(to.getParent());
      return true;
    } catch (IOException e) {
      throw Faults.io(to, e);
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT) {
        throw e;
      }
      return false;
    }
  }
}
