package io.vertxscr.load;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;
import io.vertxscr.prefix.copy.container.ContainerPaths;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.Publication.Mapping;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/** Generates prefix directories with very large metadata, by the daemons' classes. */
final class GeneratedPrefix {
  private static final int FILES_PER_RANK = 10;
  private static final int FILE_BYTES = 4096;
  /** Nobody has written to the container. */
  private static final int CRC_OF_ZEROS = crcOfZeros();

  private final PrefixPaths paths;
  private final PrefixIndex index;

  GeneratedPrefix(Path prefix) throws IOException {
    paths = new PrefixPaths(Files.createDirectories(prefix));
    Files.createDirectories(paths.scr());
    index = new PrefixIndex(paths, PatientLocks.user("load-tests", Duration.ofSeconds(1)));
  }

  PrefixPaths paths() {
    return paths;
  }

  /** An index of datasets of which nothing else is there. */
  void index(int datasets) {
    LocalDateTime time = LocalDateTime.now();
    List<Index.Entry> entries = IntStream.rangeClosed(1, datasets)
        .mapToObj(id -> Index.Entry.flushed(descriptor(id, new Totals(4096, 1L << 40)), true, time)).toList();
    index.update(_ -> new Index(Optional.of(entries.getLast().name()), entries));
  }

  /** Publishes a dataset of many files, all in one sparse container of their length. */
  void dataset(int id, int files) throws IOException {
    int ranks = ranks(files);
    var totals = new Totals((long) ranks * FILES_PER_RANK, (long) ranks * FILES_PER_RANK * FILE_BYTES);
    var publication = new Publication(paths, index);
    DatasetDescriptor descriptor = descriptor(id, totals);
    publication.prepare(descriptor);
    Path container = paths.dataset(id).resolve(ContainerPaths.name(0));
    Files.createDirectories(container.getParent());
    try (RandomAccessFile file = new RandomAccessFile(container.toFile(), "rw")) {
      file.setLength(totals.bytes());
    }
    int perPart = RankMapWriter.ranksPerPart(ranks, RankFileMapFile.entryBytes(entry(id, ranks - 1)));
    var writer = new RankMapWriter(paths, id, ranks, perPart);
    for (int first : writer.firstRanks()) {
      writer.writeEntries(first, writer.ranksFrom(first).stream().map(rank -> entry(id, rank)).toList());
    }
    writer.writeRoot();
    publication.seal(descriptor, new Mapping(totals, OptionalLong.empty()));
    publication.enlist(descriptor, LocalDateTime.now(), false);
  }

  /** Returns the number of ranks for so many files. */
  static int ranks(int files) {
    return Math.max(1, files / FILES_PER_RANK);
  }

  private static int crcOfZeros() {
    CRC32 crc = new CRC32();
    crc.update(new byte[FILE_BYTES]);
    return (int) crc.getValue();
  }

  private static RankEntry entry(int id, int rank) {
    List<FlushedFile> files = new ArrayList<>();
    for (int file = 0; file < FILES_PER_RANK; file++) {
      long offset = ((long) rank * FILES_PER_RANK + file) * FILE_BYTES;
      files.add(new FlushedFile("ckpt." + id + "/rank_" + rank + "." + file + ".ckpt", OptionalLong.of(FILE_BYTES),
          OptionalInt.of(CRC_OF_ZEROS), List.of(new Segment(ContainerPaths.name(0), offset, FILE_BYTES))));
    }
    return new RankEntry(rank, files);
  }

  private static DatasetDescriptor descriptor(int id, Totals totals) {
    return new DatasetDescriptor(id, "timestep." + id, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L + id,
        new Job("user", "simulation", "4711", "cluster"), totals);
  }
}
