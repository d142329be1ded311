package io.vertxscr.redundancy;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** One redundancy set on as many nodes, all on this disk: member i is rank 3i+2 on node n&lt;rank&gt;. */
final class TestNodes implements RangeSource {
  static final int ID = 7;

  final RedundancySet set;
  final List<String> nodes;
  final Scheme scheme;
  final int worldRanks;
  private final Map<String, DatasetStore> stores = new TreeMap<>();
  private final Map<String, LocalRanges> ranges = new TreeMap<>();
  private final Map<Integer, RankFiles> layouts = new TreeMap<>();

  TestNodes(Path root, Scheme scheme, int size) {
    this(root, scheme, size, scheme == Scheme.RS ? 2 : 1);
  }

  TestNodes(Path root, Scheme scheme, int size, int failures) {
    this.scheme = scheme;
    this.worldRanks = 3 * size;
    set = new RedundancySet(IntStream.range(0, size).mapToObj(i -> 3 * i + 2).toList()).tolerating(failures);
    nodes = set.ranks().stream().map(rank -> "n" + rank).toList();
    for (String node : nodes) {
      var store = DatasetStore.open(
          new NodeDirectories(root.resolve(node + "/cache"), root.resolve(node + "/control")));
      stores.put(node, store);
      ranges.put(node, new LocalRanges(store));
    }
  }

  @Override
  public RangeStream open(RangeRequest request) {
    return ranges.get(request.node()).open(request);
  }

  DatasetStore store(int rank) {
    return stores.get("n" + rank);
  }

  Path directory(int rank) {
    return store(rank).directory(ID);
  }

  DatasetDescriptor descriptor() {
    return new DatasetDescriptor(ID, "b.7", DatasetFlags.CHECKPOINT, 3, 1_700_000_000_000_000L,
        new Job("user1", "sim", "439", "alpha"), new DatasetDescriptor.Totals(5, 12345));
  }

  /** Writes files of these sizes for a rank, as an application would, and registers them. */
  RankFiles write(int rank, int[] sizes, Random random) {
    List<FileMeta> files = new ArrayList<>();
    Path directory = store(rank).createDirectory(ID, rank);
    for (int i = 0; i < sizes.length; i++) {
      byte[] bytes = new byte[sizes[i]];
      random.nextBytes(bytes);
      String name = "f" + i + ".ckpt";
      try {
        Files.write(directory.resolve(name), bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      files.add(new FileMeta("rank." + rank + "/" + name, "out/" + name, bytes.length, OptionalInt.empty()));
    }
    var layout = new RankFiles(rank, files);
    layouts.put(rank, layout);
    store(rank).register(ID, layout);
    return layout;
  }

  EncodePlan plan(int rank) {
    return new EncodePlan(descriptor(), worldRanks, scheme, set, rank, List.copyOf(layouts.values()), nodes);
  }

  /** All that the nodes do between complete-output and its answer. */
  void protect() {
    List<RangeChecksums> ranges = new ArrayList<>();
    Map<Integer, EncodeJob> jobs = new TreeMap<>();
    for (int rank : set.ranks()) {
      jobs.put(rank, new EncodeJob(plan(rank), this, directory(rank).resolve(redundancyName(rank))));
      ranges.addAll(jobs.get(rank).run());
      lend(rank, jobs.get(rank));
    }
    List<FinishedParity> finished = jobs.values().stream().flatMap(job -> job.finished().stream()).toList();
    jobs.values().forEach(job -> job.pull(finished, this));
    set.ranks().forEach(rank -> store(rank).endLoans(ID));
    layouts.replaceAll((_, layout) -> PieceChecksums.combine(layout, ranges));
    for (int rank : set.ranks()) {
      try (var job = jobs.get(rank)) {
        job.seal(List.copyOf(layouts.values()));
      }
      save(rank);
    }
  }

  /** Protects one member again, without changes of the others. */
  void protectAgain(int rank) {
    try (var job = new EncodeJob(plan(rank), this, directory(rank).resolve(redundancyName(rank)))) {
      job.run();
      List<FinishedParity> finished = new ArrayList<>();
      for (int holder : job.parityFrom()) {
        Path again = directory(rank).getParent().resolve("again/.scr/g1/parity." + holder);
        try (var other = new EncodeJob(plan(holder), this, again)) {
          other.run();
          finished.addAll(other.finished().stream().toList());
          lend(holder, other);
        }
      }
      job.pull(finished, this);
      set.ranks().forEach(holder -> store(holder).endLoans(ID));
      discard(job.lent());
      job.seal(List.copyOf(layouts.values()));
    }
    save(rank);
  }

  /** Registers the rebuilt files for reads by the others. */
  void registerAgain(int rank) {
    store(rank).register(ID, layouts.get(rank));
  }

  private void lend(int rank, EncodeJob job) {
    job.finished().ifPresent(_ -> store(rank).lend(ID, rank, job.lent()));
  }

  private static void discard(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void save(int rank) {
    store(rank).save(new DatasetRecord(descriptor(), new Origin("/prefix", worldRanks), store(rank).cache(ID),
        new RedundancyDescriptor(new CheckpointDescriptor(
            0, true, 1, "NODE", "/tmp", Redundancy.of(scheme, 8), false), 1),
        FlushState.NOT_WANTED, List.of(new RankRecord(layouts.get(rank), set,
            plan(rank).writesRedundancy() ? Optional.of(redundancyName(rank)) : Optional.empty()))));
  }

  String redundancyName(int rank) {
    return RedundancyFiles.name(1, scheme, set, rank);
  }

  RedundancyHeader header(int rank) {
    return RedundancyFiles.readHeader(directory(rank).resolve(redundancyName(rank)));
  }

  RankFiles layout(int rank) {
    return layouts.get(rank);
  }

  /** Returns every file below a rank's dataset directory with its bytes. Empty files and draft directories included. */
  Map<String, byte[]> content(int rank) {
    Map<String, byte[]> content = new TreeMap<>();
    Path directory = directory(rank);
    if (Files.isDirectory(directory)) {
      try (var paths = Files.walk(directory)) {
        for (Path path : paths.toList()) {
          if (Files.isRegularFile(path)) {
            content.put(directory.relativize(path).toString(), Files.readAllBytes(path));
          } else if (path.getFileName().toString().startsWith("draft.")) {
            content.put(directory.relativize(path).toString(), new byte[0]);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return content;
  }
}
