package io.vertxscr.system;

import io.vertxscr.format.prefix.FlushFile;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.format.prefix.NodesFile;
import io.vertxscr.format.prefix.RankFileMap.Branch;
import io.vertxscr.format.prefix.RankFileMap.Leaf;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Writes the prefix directories of src/test/resources/golden, each with two checkpoints of two ranks. {@code ours} is
 * written by this program; {@code scr31} as by SCR 3.1, with a packer of its own: other order of keys, no checksum
 * behind some files, none of our own keys, and a map without size and checksum of one file.
 *
 * <pre>java -cp target/test-classes:target/classes io.vertxscr.system.GoldenPrefixes src/test/resources/golden</pre>
 */
final class GoldenPrefixes {
  static final int RANKS = 2;
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);

  private GoldenPrefixes() {}

  public static void main(String[] arguments) throws IOException {
    ours(Path.of(arguments[0], "ours"));
    scr31(Path.of(arguments[0], "scr31"));
  }

  static byte[] bytes(int step, int rank) {
    byte[] bytes = new byte[20 + 3 * step + rank];
    new Random(100L * step + rank).nextBytes(bytes);
    return bytes;
  }

  private static String path(int step, int rank) {
    return "step-" + step + "/rank-" + rank;
  }

  private static int crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
  }

  private static long size(int step) {
    return bytes(step, 0).length + bytes(step, 1).length;
  }

  static void ours(Path prefix) throws IOException {
    PrefixPaths paths = new PrefixPaths(prefix.toAbsolutePath());
    Index index = Index.EMPTY;
    FlushStatus flushes = FlushStatus.EMPTY;
    for (int step = 1; step <= 2; step++) {
      DatasetDescriptor dataset = new DatasetDescriptor(step, "step-" + step, DatasetFlags.CHECKPOINT, step,
          1_795_175_930_000_000L + step, new Job("user1", "simulation123", "1145655", "zin"),
          new Totals(RANKS, size(step)));
      for (int rank = 0; rank < RANKS; rank++) {
        byte[] bytes = bytes(step, rank);
        write(paths.file(path(step, rank)), bytes);
        FileMeta file = new FileMeta("rank-" + rank, path(step, rank), bytes.length, OptionalInt.of(crc(bytes)));
        write(paths.rankMap(step).resolveSibling("rank2file.0." + rank),
            RankFileMapFile.encode(Leaf.of(RANKS, List.of(new RankFiles(rank, List.of(file))))));
      }
      write(paths.rankMap(step), RankFileMapFile.encode(Branch.root(RANKS, List.of(0, 1))));
      write(paths.summary(step), SummaryFile.encode(new Summary(dataset, true, OptionalLong.empty())));
      index = index.enlist(List.of(dataset), TIME.plusHours(step));
      flushes = flushes.put(dataset, Set.of(Location.CACHE, Location.PFS));
    }
    write(paths.index(), IndexFile.encode(index.markFetched(1, TIME.plusDays(1)).markDamaged(1, TIME.plusDays(2))));
    write(paths.flushFile(), FlushFile.encode(flushes));
    write(paths.nodesFile(), NodesFile.encode(2));
  }

  static void scr31(Path prefix) throws IOException {
    Path scr = prefix.resolve(".scr");
    Map<String, Object> names = new LinkedHashMap<>();
    Map<String, Object> datasets = new LinkedHashMap<>();
    for (int step = 2; step >= 1; step--) {
      Map<String, Object> ranks = new LinkedHashMap<>();
      for (int rank = RANKS - 1; rank >= 0; rank--) {
        byte[] bytes = bytes(step, rank);
        write(prefix.resolve(path(step, rank)), bytes);
        Map<String, Object> file = step == 2 && rank == 1 ? Map.of() : of(
            "CRC", "0x" + HexFormat.of().toHexDigits(crc(bytes)), "SIZE", "" + bytes.length);
        ranks.put("" + rank, of("FILE", of(path(step, rank), file)));
      }
      Path directory = scr.resolve("scr.dataset." + step);
      write(directory.resolve("rank2file"), file(true, of("LEVEL", "1", "RANK",
          of("0", of("OFFSET", "0", "FILE", ".0.0")), "RANKS", "" + RANKS)));
      write(directory.resolve("rank2file.0.0"), file(false, of("RANK", ranks, "LEVEL", "0", "RANKS", "" + RANKS)));
      write(directory.resolve("summary.scr"),
          file(true, of("DSET", descriptor(step), "COMPLETE", "1", "VERSION", "6")));
      names.put("step-" + step, of("DSET", "" + step));
      datasets.put("" + step, of("FLUSHED", "2026-11-20T1" + step + ":58:50", "COMPLETE", "1", "DSET",
          descriptor(step)));
    }
    write(scr.resolve("index.scr"),
        file(false, of("DSET", datasets, "NAME", names, "CURRENT", "step-2", "VERSION", "2")));
    write(scr.resolve("nodes.scr"), file(true, of("NODES", "2")));
  }

  private static Map<String, Object> descriptor(int step) {
    return of("CLUSTER", "zin", "COMPLETE", "1", "SIZE", "" + size(step), "FILES", "" + RANKS, "CKPT", "" + step,
        "JOBID", "1145655", "USER", "user1", "CREATED", "" + (1_795_175_930_000_000L + step), "FLAG_OUTPUT", "0",
        "FLAG_CKPT", "1", "NAME", "step-" + step, "ID", "" + step);
  }

  /** Keys and what is below each, in this order; a text is a key with nothing below it. */
  private static Map<String, Object> of(Object... keysAndValues) {
    Map<String, Object> tree = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      tree.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return tree;
  }

  private static byte[] file(boolean withCrc, Map<String, Object> tree) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    pack(tree, new DataOutputStream(packed));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(0x951fc3f5);
    out.writeShort(1);
    out.writeShort(1);
    out.writeLong(20 + packed.size() + (withCrc ? 4 : 0));
    out.writeInt(withCrc ? 1 : 0);
    packed.writeTo(out);
    if (withCrc) {
      out.writeInt(crc(bytes.toByteArray()));
    }
    return bytes.toByteArray();
  }

  private static void pack(Map<?, ?> tree, DataOutputStream out) throws IOException {
    out.writeInt(tree.size());
    for (Map.Entry<?, ?> one : tree.entrySet()) {
      out.write(one.getKey().toString().getBytes(StandardCharsets.UTF_8));
      out.writeByte(0);
      pack(one.getValue() instanceof Map<?, ?> below ? below : Map.of(one.getValue(), Map.of()), out);
    }
  }
}
