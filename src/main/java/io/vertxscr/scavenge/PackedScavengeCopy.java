package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor.ContainerSizes;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.ContainerPaths;
import io.vertxscr.prefix.copy.container.ContainerWriter;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.Parts;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.scavenge.ScavengeCopy.CopyProblem;
import io.vertxscr.scavenge.ScavengeCopy.NodeCopy;
import io.vertxscr.storage.AtomicFile;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * Copies a node's part of a dataset into containers {@code .scr/scavenged.<node>.<round>/ctr.<k>.scr}. These hold files
 * and redundancy of all its ranks. One node knows nothing of the others, so no two write to the same container. The
 * directory gets its name when all in it is durable; the ranks' filemaps, which have the segments, come after it.
 */
final class PackedScavengeCopy {
  private final String node;
  private final DatasetRecord record;
  private final Path source;
  private final Path target;
  private final ContainerLayout layout;
  private final List<CopyProblem> problems = new ArrayList<>();

  /** @param crc empty if it could not be had; then the problem says why */
  private record Written(Item item, OptionalInt crc, Optional<CopyProblem> problem) {}

  /** A file on its way. @param offset in the node's stream */
  private record Item(int rank, boolean redundancy, FileMeta file, long offset) {}

  PackedScavengeCopy(String node, DatasetRecord record, Path source, Path target) {
    this.node = node;
    this.record = record;
    this.source = source;
    this.target = target;
    ContainerSizes size = record.origin().flush().containers().orElseThrow();
    this.layout = new ContainerLayout(size.bytes(), size.alignBytes());
  }

  /**
   * @param drafts an empty directory below the dataset's; gone when this returns
   * @param before what is there of each rank already, of an earlier call or another node
   */
  NodeCopy run(Path drafts, Map<Integer, RankFilemap> before) throws IOException {
    List<RankRecord> wanted = record.ranks().stream().filter(rank -> !isThere(rank, before)).toList();
    List<Integer> all = record.ranks().stream().map(rank -> rank.files().rank()).sorted().toList();
    if (wanted.isEmpty()) {
      return new NodeCopy(all, 0, 0, List.of());
    }
    Map<Integer, List<Written>> written = new TreeMap<>();
    wanted.forEach(rank -> written.put(rank.files().rank(), new ArrayList<>()));
    Workers.map(extents(wanted), extent -> write(extent, drafts)).stream().flatMap(List::stream)
        .forEach(file -> written.get(file.item().rank()).add(file));
    String place = place();
    Files.move(drafts, target.resolve(place), StandardCopyOption.ATOMIC_MOVE);
    PrefixDirectories.force(List.of(target.resolve(place), target.resolve(place).getParent(), target));
    long files = 0;
    long bytes = 0;
    for (RankRecord rank : wanted) {
      int number = rank.files().rank();
      RankFilemap map = map(rank, written.get(number), Optional.ofNullable(before.get(number)), place);
      AtomicFile.replace(target.resolve(number + ".scrfilemap"), RankFilemapFile.encode(map));
    }
    for (List<Written> ofRank : written.values()) {
      files += ofRank.stream().filter(file -> file.crc().isPresent()).count();
      bytes += ofRank.stream().filter(file -> file.crc().isPresent())
          .mapToLong(file -> file.item().file().bytes()).sum();
    }
    return new NodeCopy(all, files, bytes, List.copyOf(problems));
  }

  private boolean isThere(RankRecord rank, Map<Integer, RankFilemap> before) {
    RankFilemap map = before.get(rank.files().rank());
    if (map == null) {
      return false;
    }
    FilesThere there = new FilesThere(target, map);
    return rank.files().files().stream().allMatch(file -> there.copyOf(file).isPresent())
        && rank.redundancy().filter(name -> isNews(name, map.redundancy())).isEmpty() && there.all();
  }

  /** Another node had redundancy of this rank for another set. */
  private boolean isNews(String redundancy, List<StoredRedundancy> known) {
    Path cached = NodeDirectories.resolve(source, redundancy);
    if (!Files.isReadable(cached)) {
      return false;
    }
    int crc = FileChecks.crc(cached);
    return known.stream().noneMatch(file -> file.crc() == crc);
  }

  private String place() {
    int round = 0;
    while (Presence.exists(target.resolve(ContainerPaths.scavenged(node, round)))) {
      round++;
    }
    return ContainerPaths.scavenged(node, round);
  }

  private List<List<Item>> extents(List<RankRecord> ranks) {
    List<Item> all = new ArrayList<>();
    long at = 0;
    for (RankRecord rank : ranks) {
      for (Item item : items(rank)) {
        all.add(new Item(item.rank(), item.redundancy(), item.file(), at));
        at += item.file().bytes();
      }
    }
    return Parts.of(all, item -> item.file().bytes(), Extent.MOST_BYTES);
  }

  private List<Item> items(RankRecord rank) {
    int number = rank.files().rank();
    List<Item> items = new ArrayList<>();
    rank.files().files().forEach(file -> items.add(new Item(number, false, file, 0)));
    rank.redundancy().ifPresent(name -> {
      Path cached = NodeDirectories.resolve(source, name);
      try {
        String base = rank.set().fileName(number, record.scheme());
        items.add(new Item(number, true, new FileMeta(name, base, Files.size(cached), OptionalInt.empty()), 0));
      } catch (IOException e) {
        problems.add(CopyProblem.of(number, cached, e));
      }
    });
    return items;
  }

  private List<Written> write(List<Item> extent, Path drafts) {
    List<Written> written = new ArrayList<>();
    try (var out = new ContainerWriter(drafts, layout, extent.getFirst().offset(), Meter.NONE)) {
      for (Item item : extent) {
        written.add(write(item, out));
      }
      out.force();
    }
    return written;
  }

  private Written write(Item item, ContainerWriter out) {
    try {
      int crc = FileChecks.twice(() -> {
        out.seek(item.offset());
        return out.append(NodeDirectories.resolve(source, item.file().name()), item.file(),
            "rank " + item.rank() + ": cached copy of " + item.file().path());
      });
      return new Written(item, OptionalInt.of(crc), Optional.empty());
    } catch (ScrException e) {
      if (e.fault() != Fault.CORRUPT && e.fault() != Fault.NO_SUCH_FILE) {
        throw e;
      }
      return new Written(item, OptionalInt.empty(), Optional.of(CopyProblem.of(e)));
    }
  }

  private RankFilemap map(RankRecord rank, List<Written> written, Optional<RankFilemap> before, String place) {
    int number = rank.files().rank();
    Map<String, List<Segment>> segments = new HashMap<>();
    List<FileMeta> files = new ArrayList<>();
    List<StoredRedundancy> redundancy = new ArrayList<>();
    before.ifPresent(map -> map.redundancy().forEach(known -> {
      redundancy.add(known);
      Optional.ofNullable(map.segments().get(known.name())).ifPresent(there -> segments.put(known.name(), there));
    }));
    for (Written file : written) {
      FileMeta meta = file.item().file();
      if (file.crc().isEmpty()) {
        problems.add(file.problem().orElseThrow());
        before.flatMap(map -> new FilesThere(target, map).copyOf(meta)).ifPresent(known -> {
          files.add(known);
          segments.put(known.name(), before.get().flushed(known).segments());
        });
      } else if (file.item().redundancy()) {
        String name = name(meta.path(), redundancy);
        redundancy.add(new StoredRedundancy(name, record.scheme(), meta.bytes(), file.crc().getAsInt()));
        segments.put(name, segments(file.item(), place));
      } else {
        files.add(meta.withCrc(file.crc().getAsInt()));
        segments.put(meta.name(), segments(file.item(), place));
      }
    }
    int expected = RankFilemap.expectedFiles(rank.files(), rank.redundancy().isPresent(), redundancy);
    return new RankFilemap(record.descriptor(), record.origin().ranks(), expected, new RankFiles(number, files),
        redundancy, segments);
  }

  /** Two nodes may have redundancy of one rank for different sets: both are kept. */
  private static String name(String base, List<StoredRedundancy> known) {
    String name = base;
    for (int k = 1; isKnown(name, known); k++) {
      name = k + "/" + base;
    }
    return name;
  }

  private static boolean isKnown(String name, List<StoredRedundancy> known) {
    return known.stream().anyMatch(file -> file.name().equals(name));
  }

  private List<Segment> segments(Item item, String place) {
    return layout.pieces(item.offset(), item.file().bytes()).stream().map(piece -> new Segment(
        place + "/" + ContainerPaths.fileName(piece.container()), piece.offset(), piece.bytes())).toList();
  }
}
