package io.vertxscr.format.prefix;

import io.vertxscr.format.Excerpt;
import io.vertxscr.format.Fields;
import io.vertxscr.format.FileMetaHash;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.FlushedFile;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.format.prefix.RankFileMap.RankEntry;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.model.RankFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * {@code <prefix>/.scr/scr.dataset.<id>/rank2file} and its parts {@code rank2file.0.<first rank>}.
 * <pre>
 *   root:  RANKS -> 1024                            leaf:  RANKS -> 1024
 *          LEVEL -> 1                                      LEVEL -> 0
 *          RANK -> 0 -> FILE -> .0.0                       RANK -> 512 -> FILE -> out/a.512 -> SIZE -> 524296
 *                       OFFSET -> 0                                                            CRC -> 0x738bb68f
 *                  512 -> FILE -> .0.512                            513 -> ...
 *                         OFFSET -> 0
 *
 *   in containers, below the path as well, MODE, MTIME_SECS and MTIME_NSECS, and  SEG -> 0 -> FILE -> .scr/ctr.1.scr
 *                                                       OFFSET -> 224295
 *                                                       LENGTH -> 75705
 *   written by several ranks, counted by one; in the entries of the others: SHARED -> 1
 *   compressed:                              COMPRESS -> ZSTD
 *                                            STORED -> 131072        length of out/a.512.zst
 * </pre>
 */
public final class RankFileMapFile {
  /** A part should not be larger. */
  public static final int PART_BYTES = 1 << 20;

  private static final String KIND = "rank2file map";
  private static final String ZSTD = "ZSTD";

  private RankFileMapFile() {}

  /** The whole file, root or part. */
  public static byte[] encode(RankFileMap map) {
    Hash hash = new Hash().set("RANKS", map.ranks());
    switch (map) {
      case Branch(_, int level, List<MapPart> parts) -> {
        hash.set("LEVEL", level);
        parts.forEach(part ->
            hash.at("RANK").at(Integer.toString(part.firstRank())).set("FILE", part.suffix()).set("OFFSET", 0));
      }
      case Leaf(_, List<RankEntry> entries) -> {
        hash.set("LEVEL", 0).at("RANK");
        entries.forEach(entry -> hash.at("RANK").put(Integer.toString(entry.rank()), hash(entry)));
      }
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static RankFileMap decode(byte[] file) {
    return decode(file, Excerpt.WHOLE, _ -> true);
  }

  /**
   * Decodes of a leaf only the entries of these ranks; omitted ones cost no memory.
   *
   * @throws io.vertxscr.model.ScrException CORRUPT
   */
  public static RankFileMap decodeLeaf(byte[] file, Set<Integer> ranks) {
    Set<String> names = ranks.stream().map(rank -> Integer.toString(rank)).collect(Collectors.toSet());
    return decode(file, new Excerpt("RANK", names::contains), ranks::contains);
  }

  private static RankFileMap decode(byte[] file, Excerpt excerpt, IntPredicate wanted) {
    return Fields.read(file, KIND, excerpt, fields -> {
      int ranks = fields.integer("RANKS", 0);
      int level = fields.integer("LEVEL", 0);
      return level == 0 ? new Leaf(ranks, entries(fields, wanted)) : new Branch(ranks, level, parts(fields));
    });
  }

  /** Returns the bytes of this rank in a leaf, to divide ranks into parts of about {@link #PART_BYTES}. */
  public static int entryBytes(RankFiles entry) {
    return entryBytes(RankEntry.of(entry));
  }

  /** Returns the bytes of a rank with files in containers. */
  public static int entryBytes(RankEntry entry) {
    Hash leaf = new Hash().put(Integer.toString(entry.rank()), hash(entry));
    return HashFile.encodedBytes(leaf) - HashFile.encodedBytes(new Hash());
  }

  private static Hash hash(RankEntry entry) {
    Hash rank = new Hash();
    Hash files = rank.at("FILE");
    for (FlushedFile file : entry.files()) {
      Hash hash = new Hash();
      files.put(file.path(), hash);
      file.bytes().ifPresent(bytes -> hash.set("SIZE", bytes));
      file.crc().ifPresent(crc -> hash.set("CRC", Fields.crc(crc)));
      file.storedBytes().ifPresent(stored -> hash.set("COMPRESS", ZSTD).set("STORED", stored));
      putSegments(hash, file.segments());
      file.stamp().ifPresent(stamp -> FileMetaHash.put(stamp, hash));
      if (file.shared()) {
        hash.set("SHARED", 1);
      }
    }
    return rank;
  }

  static void putSegments(Hash file, List<Segment> segments) {
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      file.at("SEG").at(Integer.toString(i))
          .set("FILE", segment.container()).set("OFFSET", segment.offset()).set("LENGTH", segment.bytes());
    }
  }

  static List<Segment> segments(Fields file) {
    return file.listed("SEG").stream()
        .map(seg -> new Segment(seg.text("FILE"), seg.number("OFFSET", 0), seg.number("LENGTH", 0)))
        .toList();
  }

  private static List<MapPart> parts(Fields fields) {
    List<MapPart> parts = new ArrayList<>();
    fields.numbered("RANK").forEach((rank, part) -> {
      part.expect("OFFSET", 0);
      parts.add(new MapPart(rank, part.text("FILE")));
    });
    return parts;
  }

  private static List<RankEntry> entries(Fields fields, IntPredicate wanted) {
    List<RankEntry> entries = new ArrayList<>();
    fields.numbered("RANK").forEach((rank, entry) -> {
      if (!wanted.test(rank)) {
        return;
      }
      List<FlushedFile> files = new ArrayList<>();
      entry.find("FILE").ifPresent(paths ->
          paths.children().keySet().forEach(path -> files.add(file(path, paths.child(path)))));
      entries.add(new RankEntry(rank, files));
    });
    return entries;
  }

  private static FlushedFile file(String path, Fields fields) {
    OptionalLong bytes = fields.findNumber("SIZE", 0);
    OptionalInt crc = fields.findCrc("CRC");
    List<Segment> segments = segments(fields);
    long segmentBytes = segments.stream().mapToLong(Segment::bytes).sum();
    if (!segments.isEmpty() && bytes.isPresent() && bytes.getAsLong() != segmentBytes) {
      throw fields.corrupt("SEG", "segments have " + segmentBytes + " bytes, the file " + bytes.getAsLong());
    }
    if (fields.findText("COMPRESS").isEmpty() && fields.findText("STORED").isEmpty()) {
      return new FlushedFile(path, bytes, crc, segments, OptionalLong.empty(), FileMetaHash.stamp(fields),
          FileMetaHash.shared(fields));
    }
    fields.expect("COMPRESS", ZSTD);
    if (!segments.isEmpty()) {
      throw fields.corrupt("COMPRESS", "a file in containers is not compressed");
    }
    return new FlushedFile(path, bytes, crc, segments, OptionalLong.of(fields.number("STORED", 0)),
        FileMetaHash.stamp(fields), FileMetaHash.shared(fields));
  }
}
