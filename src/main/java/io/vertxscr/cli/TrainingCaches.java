package io.vertxscr.cli;

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
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.redundancy.EncodeJob;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.redundancy.PieceChecksums;
import io.vertxscr.redundancy.RangeChecksums;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Caches of killed daemons for a training run. A few nodes, each with one rank of one XOR set, and a protected
 * checkpoint. For {@link CommandTraining}.
 */
final class TrainingCaches {
  static final int NODES = 4;
  private static final int LARGE_BYTES = 8 << 20;
  private static final int SMALL_BYTES = 1000;

  private final Path control;
  private final Path prefix;
  private final RedundancySet set = new RedundancySet(IntStream.range(0, NODES).boxed().toList()).tolerating(1);
  private final Map<String, DatasetStore> stores = new TreeMap<>();

  /** @param root gets {@code control}, {@code cache} and {@code prefix} */
  TrainingCaches(Path root) throws IOException {
    control = root.resolve("control");
    prefix = Files.createDirectories(root.resolve("prefix"));
    for (int node = 0; node < NODES; node++) {
      stores.put(node(node), DatasetStore.open(
          new NodeDirectories(root.resolve("cache").resolve(node(node)), control.resolve(node(node)))));
    }
  }

  /** With the control directories of all nodes. */
  Path control() {
    return control;
  }

  Path prefix() {
    return prefix;
  }

  static String node(int rank) {
    return "rehearsal-" + rank;
  }

  private DatasetStore store(int rank) {
    return stores.get(node(rank));
  }

  /** Writes and protects a checkpoint: a large file and a small one of each rank. */
  DatasetDescriptor checkpoint(int id, String name) throws IOException {
    List<RankFiles> layouts = new ArrayList<>();
    for (int rank = 0; rank < NODES; rank++) {
      layouts.add(write(id, name, rank));
    }
    long bytes = layouts.stream().mapToLong(RankFiles::bytes).sum();
    var descriptor = new DatasetDescriptor(id, name, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L + id,
        new Job("rehearsal", "rehearsal", "1", "rehearsal"), new DatasetDescriptor.Totals(2L * NODES, bytes));
    RangeSource source = request -> new LocalRanges(stores.get(request.node())).open(request);
    List<String> nodes = IntStream.range(0, NODES).mapToObj(TrainingCaches::node).toList();
    List<EncodeJob> jobs = new ArrayList<>();
    List<RangeChecksums> ranges = new ArrayList<>();
    for (int rank = 0; rank < NODES; rank++) {
      EncodeJob job = new EncodeJob(new EncodePlan(descriptor, NODES, Scheme.XOR, set, rank, layouts, nodes), source,
          store(rank).directory(id).resolve(redundancy(rank)));
      jobs.add(job);
      ranges.addAll(job.run());
    }
    List<RankFiles> checked = layouts.stream().map(layout -> PieceChecksums.combine(layout, ranges)).toList();
    for (int rank = 0; rank < NODES; rank++) {
      try (EncodeJob job = jobs.get(rank)) {
        job.seal(checked);
      }
      save(descriptor, checked.get(rank));
    }
    return descriptor;
  }

  private RankFiles write(int id, String name, int rank) throws IOException {
    List<FileMeta> files = new ArrayList<>();
    CacheNames names = new CacheNames(rank);
    Path target = store(rank).createDirectory(id, rank).getParent();
    for (int bytes : List.of(LARGE_BYTES + rank, SMALL_BYTES)) {
      String path = name + "/rank." + rank + "." + bytes;
      String cached = names.next(path);
      Files.write(target.resolve(cached), new byte[bytes]);
      files.add(new FileMeta(cached, path, bytes, OptionalInt.empty()));
    }
    var layout = new RankFiles(rank, files);
    store(rank).register(id, layout);
    return layout;
  }

  private String redundancy(int rank) {
    return RedundancyFiles.name(1, Scheme.XOR, set, rank);
  }

  private void save(DatasetDescriptor descriptor, RankFiles files) {
    DatasetStore store = store(files.rank());
    var checkpoint = new CheckpointDescriptor(0, true, 1, "NODE", "/", Redundancy.of(Scheme.XOR, NODES), false);
    store.save(new DatasetRecord(descriptor, new Origin(prefix.toString(), NODES), store.cache(descriptor.id()),
        new RedundancyDescriptor(checkpoint, 1), FlushState.WANTED,
        List.of(new RankRecord(files, set, Optional.of(redundancy(files.rank()))))));
  }
}
