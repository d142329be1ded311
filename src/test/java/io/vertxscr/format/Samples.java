package io.vertxscr.format;

import io.vertxscr.format.prefix.FailuresFile;
import io.vertxscr.format.prefix.FlushFile;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.HaltFile;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.format.prefix.LeaderFile;
import io.vertxscr.format.prefix.NodesFile;
import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.format.prefix.RestartFile;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.format.prefix.SummaryFile;
import io.vertxscr.model.CacheDirectory;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory.Tally;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Halt;
import io.vertxscr.model.Job;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.model.Scheme;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/** One small file of every kind, with what was put into it. */
public final class Samples {
  public static final DatasetDescriptor DESCRIPTOR = new DatasetDescriptor(6, "b.6", DatasetFlags.CHECKPOINT, 5,
      1312850690668536L, new Job("user1", "", "439", ""), new DatasetDescriptor.Totals(4, 2097182));
  public static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);
  public static final RedundancySet SET = new RedundancySet(List.of(1, 2, 5));

  /** @param name also of its golden files among the resources */
  record Sample(String name, Object value, byte[] bytes, Function<byte[], Object> decode) {
    @Override
    public String toString() {
      return name;
    }
  }

  private Samples() {}

  public static List<Sample> all() {
    return List.of(filemap(), redundancyHeader(), index(), summary(), branch(), leaf(), rankFilemap(), flush(), halt(),
        restart(), failures(), new Sample("nodes", 4, NodesFile.encode(4), NodesFile::decode), leader());
  }

  public static DatasetDescriptor descriptor(int id, String name) {
    return new DatasetDescriptor(id, name, DatasetFlags.CHECKPOINT, id, id, DESCRIPTOR.job(), DESCRIPTOR.totals());
  }

  /**
   * Returns the rank's two files. The second one sorts before the first, to detect a dependence on the order of keys.
   */
  public static RankFiles files(int rank) {
    return new RankFiles(rank, List.of(
        new FileMeta("rank." + rank + "/b.ckpt", "out/b.ckpt", 524296, OptionalInt.of(0x38bb68f),
            Optional.of(new FileMeta.Stamp(0644, 1312850690, 668536000))),
        new FileMeta("rank." + rank + "/a.ckpt", "a.ckpt", 0, OptionalInt.of(0))));
  }

  /** Cache directory of the samples. */
  public static final CacheDirectory CACHE = new CacheDirectory("/ssd", "/ssd/user1/scr.439/n1");

  /** Protection of the samples. */
  public static final RedundancyDescriptor REDUNDANCY = new RedundancyDescriptor(
      new CheckpointDescriptor(1, true, 5, "POWER", "/ssd", Redundancy.of(Scheme.XOR, 3), false), 2);

  public static DatasetRecord record() {
    return new DatasetRecord(DESCRIPTOR, new Origin("/p/sim", 8), CACHE, REDUNDANCY, FlushState.WANTED, List.of(
        new RankRecord(files(2), SET, Optional.of(".scr/g1/2_of_3_in_1.xor")),
        new RankRecord(new RankFiles(3, List.of()), new RedundancySet(List.of(3)), Optional.empty())));
  }

  public static RedundancyHeader header() {
    return new RedundancyHeader(DESCRIPTOR, 8, SET, 174766, files(2),
        List.of(files(1), new RankFiles(5, List.of())));
  }

  public static Index indexValue() {
    Index.Entry output = new Index.Entry(new DatasetDescriptor(7, "o.7", DatasetFlags.OUTPUT, 0, 9, DESCRIPTOR.job(),
        DatasetDescriptor.Totals.NONE), false, Optional.empty(), List.of(), Optional.empty());
    return Index.EMPTY.put(Index.Entry.flushed(DESCRIPTOR, true, TIME)).put(output).setCurrent("b.6")
        .markFetched(6, TIME.plusHours(1)).markFetched(6, TIME.plusHours(2)).markFailed(6, TIME.plusHours(3));
  }

  private static Sample filemap() {
    return new Sample("filemap", record(), FilemapFile.encode(record()), FilemapFile::decode);
  }

  private static Sample redundancyHeader() {
    return new Sample("redundancy-header", header(), RedundancyHeaderFile.encode(header()),
        RedundancyHeaderFile::decode);
  }

  private static Sample index() {
    return new Sample("index", indexValue(), IndexFile.encode(indexValue()), IndexFile::decode);
  }

  private static Sample summary() {
    Summary summary = new Summary(DESCRIPTOR, true, OptionalLong.of(1048576));
    return new Sample("summary", summary, SummaryFile.encode(summary), SummaryFile::decode);
  }

  private static Sample branch() {
    RankFileMap map = RankFileMap.Branch.root(1024, List.of(0, 512));
    return new Sample("rank2file-root", map, RankFileMapFile.encode(map), RankFileMapFile::decode);
  }

  private static Sample leaf() {
    var bare = new RankFileMap.FlushedFile("bare", OptionalLong.empty(), OptionalInt.empty(), List.of());
    var packed = new RankFileMap.FlushedFile("packed", OptionalLong.of(375705), OptionalInt.of(-1), List.of(
        new RankFileMap.Segment(".scr/ctr.1.scr", 224295, 75705),
        new RankFileMap.Segment(".scr/ctr.2.scr", 0, 300000)), OptionalLong.empty(),
        Optional.of(new FileMeta.Stamp(0644, 1312850690, 668536000)), false);
    var shared = RankFileMap.FlushedFile.of(files(2).files().getFirst().asShared());
    RankFileMap map = new RankFileMap.Leaf(1024, List.of(RankFileMap.RankEntry.of(files(512)),
        new RankFileMap.RankEntry(513, List.of()), new RankFileMap.RankEntry(514, List.of(bare, packed, shared)),
        new RankFileMap.RankEntry(515, List.of(
            RankFileMap.FlushedFile.of(files(2).files().getFirst()).compressed(131072)))));
    return new Sample("rank2file-leaf", map, RankFileMapFile.encode(map), RankFileMapFile::decode);
  }

  private static Sample rankFilemap() {
    RankFilemap map = new RankFilemap(DESCRIPTOR, 8, 4, files(2),
        List.of(new RankFilemap.StoredRedundancy("2_of_3_in_1.xor", Scheme.XOR, 175693, 0x2ef519a1)));
    return new Sample("rank-filemap", map, RankFilemapFile.encode(map), RankFilemapFile::decode);
  }

  private static Sample flush() {
    FlushStatus status = FlushStatus.EMPTY
        .put(DESCRIPTOR, Set.of(FlushStatus.Location.FLUSHING, FlushStatus.Location.CACHE));
    return new Sample("flush", status, FlushFile.encode(status), FlushFile::decode);
  }

  private static Sample restart() {
    RestartHistory history = new RestartHistory(Optional.of(new RestartHistory.From(5, "b.5", 10)), List.of(
        new RestartHistory.Load(11, 7, "b.11", 1, 0, false),
        new RestartHistory.Load(5, 1312850690668536L, "b.5", 3, 1312850690700000L, true)), 12,
        Map.of(RestartHistory.Wish.CACHE_PURGE, "4f", RestartHistory.Wish.CURRENT, "4f/b.5"),
        List.of(new RestartHistory.Departure(4, 1312850690668000L, 1312850690700000L)),
        List.of(new DatasetKey(2, 1312850690666000L), new DatasetKey(3, 1312850690667000L)));
    return new Sample("restart", history, RestartFile.encode(history), RestartFile::decode);
  }

  private static Sample leader() {
    PrefixToken token = new PrefixToken(7, "n1", "00c0ffee12345678");
    return new Sample("leader", token, LeaderFile.encode(token), LeaderFile::decode);
  }

  private static Sample failures() {
    FailureHistory history = new FailureHistory(36_000_000_000L, Map.of(
        Level.PROCESS, new Tally(2, OptionalLong.empty()), Level.NODE, new Tally(1, OptionalLong.of(800_000))));
    return new Sample("failures", history, FailuresFile.encode(history), FailuresFile::decode);
  }

  private static Sample halt() {
    Halt halt = new Halt(OptionalInt.of(3), Optional.of(new Halt.Counted(1_795_170_000_000_000L, 7)),
        OptionalLong.of(1795176000), OptionalLong.of(1795179600), OptionalLong.of(1200),
        Optional.of("JOB_HALTED"), false);
    return new Sample("halt", halt, HaltFile.encode(halt), HaltFile::decode);
  }
}
