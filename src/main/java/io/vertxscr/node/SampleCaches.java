package io.vertxscr.node;

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
import io.vertxscr.placement.CacheNames;
import io.vertxscr.placement.Protection;
import io.vertxscr.redundancy.DividedRestore;
import io.vertxscr.redundancy.EncodeJob;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.PieceChecksums;
import io.vertxscr.redundancy.RangeChecksums;
import io.vertxscr.redundancy.RebuildPlan;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Caches of a few nodes for rehearsals, each with one rank of one redundancy set. Checkpoints are protected and rebuilt
 * there as in those of a job, without a daemon. Not thread-safe.
 */
public final class SampleCaches {
  public static final int NODES = 4;
  private static final int SMALL_BYTES = 1000;
  private static final int PART_BYTES = 1 << 20;

  private final Path control;
  private final Path prefix;
  private final int largeBytes;
  private final List<Integer> ranks = IntStream.range(0, NODES).boxed().toList();
  private final Map<String, DatasetStore> stores = new TreeMap<>();

  /**
   * @param root gets {@code control}, {@code cache} and {@code prefix}
   * @param largeBytes of the large file of each rank, about
   */
  public SampleCaches(Path root, int largeBytes) throws IOException {
    this.largeBytes = largeBytes;
    control = root.resolve("control");
    prefix = Files.createDirectories(root.resolve("prefix"));
    for (int rank : ranks) {
      stores.put(node(rank), DatasetStore.open(
          new NodeDirectories(root.resolve("cache").resolve(node(rank)), control.resolve(node(rank)))));
    }
  }

  /** With the control directories of all nodes. */
  public Path control() {
    return control;
  }

  public Path prefix() {
    return prefix;
  }

  /** The node of a rank. */
  public static String node(int rank) {
    return "rehearsal-" + rank;
  }

  /** What a node has, by its name. */
  public Map<String, DatasetStore> stores() {
    return stores;
  }

  /** Where the nodes read the files of each other by path. */
  public RangeSource files() {
    return request -> new LocalRanges(stores.get(request.node())).open(request);
  }

  private DatasetStore store(int rank) {
    return stores.get(node(rank));
  }

  /** Writes and protects a checkpoint with XOR: a large file and a small one of each rank. */
  public DatasetDescriptor checkpoint(int id, String name) throws IOException {
    return checkpoint(id, name, Redundancy.of(Scheme.XOR, NODES), files());
  }

  /** The same with any redundancy. @param source where nodes read the files of each other */
  public DatasetDescriptor checkpoint(int id, String name, Redundancy how, RangeSource source) throws IOException {
    RedundancySet set = new RedundancySet(ranks).tolerating(how.failures());
    List<RankFiles> layouts = new ArrayList<>();
    for (int rank : ranks) {
      layouts.add(write(id, name, rank));
    }
    long bytes = layouts.stream().mapToLong(RankFiles::bytes).sum();
    var descriptor = new DatasetDescriptor(id, name, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L + id,
        new Job("rehearsal", "rehearsal", "1", "rehearsal"), new DatasetDescriptor.Totals(2L * NODES, bytes));
    List<EncodeJob> jobs = ranks.stream().map(rank -> new EncodeJob(
        new EncodePlan(descriptor, NODES, how.scheme(), set, rank, layouts, nodes()), source,
        store(rank).directory(id).resolve(redundancy(how.scheme(), set, rank)))).toList();
    try {
      save(descriptor, how, set, protect(id, jobs, layouts, source));
    } finally {
      jobs.forEach(EncodeJob::close);
    }
    return descriptor;
  }

  /** Returns the files with their checksums. */
  private List<RankFiles> protect(int id, List<EncodeJob> jobs, List<RankFiles> layouts, RangeSource source) {
    List<RangeChecksums> ranges = new ArrayList<>();
    for (int rank : ranks) {
      EncodeJob job = jobs.get(rank);
      ranges.addAll(job.run());
      if (job.finished().isPresent()) {
        store(rank).lend(id, rank, job.lent());
      }
    }
    List<FinishedParity> parities = jobs.stream().flatMap(job -> job.finished().stream()).toList();
    jobs.stream().filter(job -> !job.parityFrom().isEmpty()).forEach(job -> job.pull(parities, source));
    List<RankFiles> checked = layouts.stream().map(layout -> PieceChecksums.combine(layout, ranges)).toList();
    for (int rank : ranks) {
      jobs.get(rank).seal(checked);
      store(rank).endLoans(id);
    }
    return checked;
  }

  /** Rebuilds the files of a rank beside the others, in parts, and deletes what has come out. */
  public void rebuild(int id, int rank, RangeSource source) throws IOException {
    DatasetRecord held = store(rank).find(id).orElseThrow();
    RedundancySet set = held.rank(rank).orElseThrow().set();
    int describes = Protection.describers(set, rank).getFirst();
    RedundancyHeader header = RedundancyFiles.readHeader(store(describes).redundancy(id, describes).orElseThrow());
    RebuildPlan plan = RebuildPlan.of(header, held.scheme(), rank, Set.of(), nodes());
    Path into = Files.createDirectories(prefix.resolve("rebuilt"));
    try (DividedRestore restore = RestoreJob.rebuild(plan, source, into).divided(PART_BYTES)) {
      restore.parts().forEach(Runnable::run);
      restore.finish();
    }
    Trees.delete(into);
  }

  /** Forgets a checkpoint on all nodes, and frees its room. */
  public void delete(int id) {
    for (DatasetStore store : stores.values()) {
      store.evict(id);
      store.emptyTrash();
    }
  }

  private List<String> nodes() {
    return ranks.stream().map(SampleCaches::node).toList();
  }

  private RankFiles write(int id, String name, int rank) throws IOException {
    List<FileMeta> files = new ArrayList<>();
    CacheNames names = new CacheNames(rank);
    Path target = store(rank).createDirectory(id, rank).getParent();
    for (int bytes : List.of(largeBytes + rank, SMALL_BYTES)) {
      String path = name + "/rank." + rank + "." + bytes;
      String cached = names.next(path);
      byte[] content = new byte[bytes];
      new Random(rank).nextBytes(content);
      Files.write(target.resolve(cached), content);
      files.add(new FileMeta(cached, path, bytes, OptionalInt.empty()));
    }
    var layout = new RankFiles(rank, files);
    store(rank).register(id, layout);
    return layout;
  }

  private static String redundancy(Scheme scheme, RedundancySet set, int rank) {
    return RedundancyFiles.name(1, scheme, set, rank);
  }

  private void save(DatasetDescriptor descriptor, Redundancy how, RedundancySet set, List<RankFiles> checked) {
    var checkpoint = new CheckpointDescriptor(0, true, 1, "NODE", "/", how, false);
    for (RankFiles files : checked) {
      DatasetStore store = store(files.rank());
      store.save(new DatasetRecord(descriptor, new Origin(prefix.toString(), NODES), store.cache(descriptor.id()),
          new RedundancyDescriptor(checkpoint, 1), FlushState.WANTED,
          List.of(new RankRecord(files, set, Optional.of(redundancy(how.scheme(), set, files.rank()))))));
    }
  }
}
