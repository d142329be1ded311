package io.vertxscr.scavenge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.placement.RedundancySets;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.redundancy.EncodeJob;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.PieceChecksums;
import io.vertxscr.redundancy.RangeChecksums;
import io.vertxscr.redundancy.range.LocalRanges;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;

/**
 * Control and cache directories of a job on this machine, with datasets as daemons leave them. Nodes are n0, n1, ...
 * Every redundancy set has a rank of each node. Rank r is on node r / ranksPerNode; it writes two files, the second of
 * which sorts before the first.
 */
public final class TestCaches {
  public final Path control;
  public final Path cache;
  public final Path prefix;
  private final Scheme scheme;
  private final RankMap map;
  private final int fileBytes;
  private FlushDescriptor flush = FlushDescriptor.FILES;
  private final Map<String, DatasetStore> stores = new TreeMap<>();

  public TestCaches(Path root, Scheme scheme, int nodes, int ranksPerNode, int fileBytes) {
    this.control = root.resolve("control");
    this.cache = root.resolve("cache");
    this.prefix = root.resolve("prefix");
    this.scheme = scheme;
    this.fileBytes = fileBytes;
    List<String> names = new ArrayList<>();
    for (int rank = 0; rank < nodes * ranksPerNode; rank++) {
      names.add("n" + rank / ranksPerNode);
    }
    map = new RankMap(names);
    map.byNode().keySet().forEach(node -> stores.put(node, DatasetStore.open(directories(node))));
    try {
      Files.createDirectories(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private NodeDirectories directories(String node) {
    return new NodeDirectories(cache.resolve(node), control.resolve(node));
  }

  /** Datasets are written by a run that wants them flushed like this from now on. */
  public TestCaches flushed(FlushDescriptor how) {
    flush = how;
    return this;
  }

  /** Returns the node's directory of a dataset. */
  public Path directory(String node, int id) {
    return stores.get(node).directory(id);
  }

  /** Returns what the node knows of a dataset. */
  public DatasetRecord record(String node, int id) {
    return stores.get(node).find(id).orElseThrow();
  }

  public List<NodeCache> nodes() {
    return NodeCache.ofJob(control);
  }

  /** Copies a dataset from all caches to the prefix directory, without publishing it. */
  public void copy(int id) {
    for (NodeCache node : nodes()) {
      assertThat(new ScavengeCopy(node, id, new PrefixPaths(prefix)).run().problems()).isEmpty();
    }
  }

  /** Leaves so many bytes of a file; below 0, no file. */
  public static void tear(Path file, byte[] good, int length) throws IOException {
    if (length < 0) {
      Files.delete(file);
    } else {
      Files.write(file, Arrays.copyOf(good, length));
    }
  }

  public int ranks() {
    return map.size();
  }

  public List<RedundancySet> sets() {
    return RedundancySets.of(map.nodes(), map.byNode().size()).stream()
        .map(set -> set.tolerating(Math.max(1, scheme.tolerance()))).toList();
  }

  /** Writes and protects a dataset. Its files belong into the directory {@code name} of the prefix. */
  public DatasetDescriptor dataset(int id, String name) {
    return dataset(id, name, name);
  }

  public DatasetDescriptor dataset(int id, String name, String directory) {
    Map<Integer, RankFiles> layouts = new TreeMap<>();
    for (int rank = 0; rank < map.size(); rank++) {
      layouts.put(rank, write(id, rank, directory));
    }
    long bytes = layouts.values().stream().mapToLong(RankFiles::bytes).sum();
    var descriptor = new DatasetDescriptor(id, name, DatasetFlags.CHECKPOINT, id, 1_700_000_000_000_000L + id,
        new Job("user1", "sim", "439", "alpha"), new DatasetDescriptor.Totals(2L * map.size(), bytes));
    Map<Integer, RankRecord> records = new TreeMap<>();
    sets().forEach(set -> protect(descriptor, set, layouts, records));
    stores.forEach((node, store) -> store.save(new DatasetRecord(descriptor,
        new Origin(prefix.toString(), map.size(), flush), store.cache(id), new RedundancyDescriptor(
            new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(scheme, 8), false), 1),
        FlushState.WANTED,
        map.ranksOn(node).stream().map(records::get).toList())));
    return descriptor;
  }

  private RankFiles write(int id, int rank, String directory) {
    List<FileMeta> files = new ArrayList<>();
    CacheNames names = new CacheNames(rank);
    DatasetStore store = stores.get(map.nodeOf(rank));
    Path target = store.createDirectory(id, rank).getParent();
    for (String file : List.of("b", "a")) {
      byte[] bytes = bytes(id, rank, file);
      String path = directory + "/" + file + "." + rank;
      String name = names.next(path);
      try {
        Files.write(target.resolve(name), bytes);
        FileStamps.apply(stamp(id, rank, file), target.resolve(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      files.add(new FileMeta(name, path, bytes.length, OptionalInt.empty(), Optional.of(stamp(id, rank, file))));
    }
    var layout = new RankFiles(rank, files);
    store.register(id, layout);
    return layout;
  }

  /** Mode and time of what the rank wrote. */
  public static Stamp stamp(int id, int rank, String file) {
    return new Stamp(file.equals("a") ? 0440 : 0666, 1_600_000_000L + rank, 123_456_000 + id);
  }

  /** Returns the bytes written by the rank. */
  public byte[] bytes(int id, int rank, String file) {
    byte[] bytes = new byte[file.equals("a") ? 7 + rank : fileBytes + 3 * rank];
    new Random(31L * id + 7L * rank + file.hashCode()).nextBytes(bytes);
    return bytes;
  }

  private void protect(DatasetDescriptor descriptor, RedundancySet set, Map<Integer, RankFiles> layouts,
      Map<Integer, RankRecord> records) {
    RangeSource source = request -> new LocalRanges(stores.get(request.node())).open(request);
    List<RangeChecksums> ranges = new ArrayList<>();
    Map<Integer, EncodeJob> jobs = new TreeMap<>();
    for (int rank : set.ranks()) {
      var plan = new EncodePlan(descriptor, map.size(), scheme, set, rank,
          set.ranks().stream().map(layouts::get).toList(), set.ranks().stream().map(map::nodeOf).toList());
      Path target = stores.get(map.nodeOf(rank)).directory(descriptor.id())
          .resolve(RedundancyFiles.name(1, scheme, set, rank));
      jobs.put(rank, new EncodeJob(plan, source, target));
      EncodeJob job = jobs.get(rank);
      ranges.addAll(job.run());
      job.finished().ifPresent(_ ->
          stores.get(map.nodeOf(rank)).lend(descriptor.id(), rank, job.lent()));
      boolean writes = plan.writesRedundancy();
      records.put(rank, new RankRecord(layouts.get(rank), set,
          writes ? Optional.of(RedundancyFiles.name(1, scheme, set, rank)) : Optional.empty()));
    }
    List<FinishedParity> finished = jobs.values().stream().flatMap(job -> job.finished().stream()).toList();
    jobs.values().forEach(job -> job.pull(finished, source));
    set.ranks().forEach(rank -> stores.get(map.nodeOf(rank)).endLoans(descriptor.id()));
    List<RankFiles> checked = set.ranks().stream()
        .map(rank -> PieceChecksums.combine(layouts.get(rank), ranges)).toList();
    for (int rank : set.ranks()) {
      try (var job = jobs.get(rank)) {
        job.seal(checked);
      }
      RankFiles own = checked.get(set.memberOf(rank));
      records.computeIfPresent(rank, (_, record) -> new RankRecord(own, record.set(), record.redundancy()));
    }
  }

  /** A rank that another node has, too, as after a crash amid a restart: with redundancy of its own. */
  public void twice(int id, int rank, String node) {
    DatasetStore from = stores.get(map.nodeOf(rank));
    DatasetStore to = stores.get(node);
    RankRecord there = from.find(id).orElseThrow().ranks().stream()
        .filter(one -> one.files().rank() == rank).findFirst().orElseThrow();
    try {
      Path target = to.createDirectory(id, rank).getParent();
      for (FileMeta file : there.files().files()) {
        Files.copy(from.directory(id).resolve(file.name()), target.resolve(file.name()),
            StandardCopyOption.COPY_ATTRIBUTES);
      }
      Optional<String> redundancy = there.redundancy().map(name -> name + ".of." + node);
      if (redundancy.isPresent()) {
        byte[] other = Files.readAllBytes(from.directory(id).resolve(there.redundancy().get()));
        other[other.length - 1] ^= 1;
        Files.write(target.resolve(redundancy.get()), other);
      }
      DatasetRecord record = to.find(id).orElseThrow();
      List<RankRecord> ranks = new ArrayList<>(record.ranks());
      ranks.add(new RankRecord(there.files(), there.set(), redundancy));
      to.save(record.with(ranks));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node dies with its storage. */
  public void lose(String node) {
    try {
      Trees.delete(control.resolve(node));
      Trees.delete(cache.resolve(node));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
