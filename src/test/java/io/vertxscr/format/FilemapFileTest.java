package io.vertxscr.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta.Unread;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.Seal;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: what a node holds comes back exactly: every path, every order of files, every state. */
class FilemapFileTest {
  @Test
  void everyFormOfPathComesBackAsItWas() {
    String exotic = "\u00e9 \u4e16/\ud83d\ude00\n";
    for (String path : List.of("a", "d/a", "/a", "a/", "/", "", "d//a", "./a", "../a", exotic)) {
      FileMeta file = new FileMeta("rank.2/" + path, path, 1, OptionalInt.of(-1));
      assertComesBack(holding(List.of(file)));
    }
  }

  @Test
  void whatAnUnreadFileIsKnownByComesBackAsItWas() {
    for (Unread unread : List.of(new Unread("b8c1", 26, 4711, 1312850690, 668536000),
        new Unread("b", Long.MIN_VALUE, Long.MAX_VALUE, -1, 0))) {
      DatasetRecord record = holding(List.of(new FileMeta("f", "f", 1, OptionalInt.of(-1)).with(unread)));
      assertThat(record.hasUnread()).isTrue();
      assertComesBack(record);
    }
  }

  @Test
  void sealsComeBackAsTheyWere() {
    RankRecord rank = Samples.record().ranks().getFirst();
    Optional<Seal> seal = Optional.of(new Seal(26, 4711, 524296, 1312850690, 668536000, 1312850691, 0));
    Optional<Seal> strange = Optional.of(new Seal(-1, Long.MAX_VALUE, 0, -7, 999_999_999, Long.MIN_VALUE, 1));
    for (RankSeals seals : List.of(new RankSeals("b8c1", List.of(seal, strange), strange),
        new RankSeals("b", List.of(Optional.empty(), seal), Optional.empty()),
        new RankSeals("b", List.of(), seal), RankSeals.NONE)) {
      DatasetRecord record = Samples.record().with(rank.with(seals));
      assertComesBack(record);
    }
  }

  @Test
  void whatIsNoSealIsRefused() {
    for (String text : List.of("", "1", "1 2 3 4 5 6", "1 2 3 4 5 6 7 8", "1 2 3 4 5 6 x", "1 2 3 4 5 6 1000000000",
        "1 2 3 4 -5 6 7", "1 2 3 4 5 6 07", "1 2 3 4 5 6 7 ", "1 2 3 4 5 6 99999999999999999999")) {
      byte[] file = HashFile.encode(new Hash().set("SEAL", text));
      assertThatThrownBy(() -> Fields.read(file, "file", SealText::find)).hasMessageContaining("is no seal");
    }
  }

  @Test
  void thatADatasetHasShardsComesBackAndIsSaidOfNoOther() {
    DatasetRecord record = holding(List.of());
    for (DatasetFlags flags : List.of(DatasetFlags.SHARDS, new DatasetFlags(true, true, true),
        DatasetFlags.CHECKPOINT, DatasetFlags.OUTPUT)) {
      DatasetDescriptor of = record.descriptor();
      assertComesBack(new DatasetRecord(new DatasetDescriptor(of.id(), of.name(), flags, of.checkpointId(),
          of.createdUs(), of.job(), of.totals()), record.origin(), record.cache(), record.redundancy(), record.flush(),
          record.ranks()));
    }
    assertThat(DescriptorHash.encode(record.descriptor(), true).toString()).doesNotContain("FLAG_SHARDS");
  }

  @Test
  void aFileIsNotUnreadBesideItsChecksum() {
    FileMeta file = new FileMeta("f", "f", 1, OptionalInt.of(-1));
    assertThat(file.with(new Unread("b", 1, 2, 3, 4)).withCrc(7)).isEqualTo(file.withCrc(7));
    Hash both = FileMetaHash.encode(file.with(new Unread("b", 1, 2, 3, 4)), 8).set("CRC", "0x00000007");
    assertThatThrownBy(() -> Fields.read(HashFile.encode(both), "file", FileMetaHash::decode))
        .hasMessageContaining("beside a checksum");
  }

  @Test
  void orderOfManyFilesComesBack() {
    List<FileMeta> files = IntStream.range(0, 25).mapToObj(i -> 24 - i)
        .map(i -> new FileMeta("f" + i, "f" + i, i, OptionalInt.empty())).toList();
    assertComesBack(holding(files));
  }

  @Test
  void everyWayOfFlushingComesBack() {
    for (FlushDescriptor flush : List.of(FlushDescriptor.FILES, FlushDescriptor.packed(4096, 1),
        FlushDescriptor.FILES.with(Optional.of(new Compression(7))))) {
      DatasetRecord record = Samples.record();
      assertComesBack(new DatasetRecord(record.descriptor(), new Origin("/p", 8, flush), record.cache(),
          record.redundancy(), record.flush(), record.ranks()));
    }
  }

  @Test
  void everyStateAndSchemeComesBackWithAndWithoutRanks() {
    for (Scheme scheme : Scheme.values()) {
      for (FlushState flush : FlushState.values()) {
        for (List<RankRecord> ranks : List.of(List.<RankRecord>of(), Samples.record().ranks())) {
          RedundancyDescriptor descriptor = new RedundancyDescriptor(
              new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(scheme, 8), true), 0);
          assertComesBack(
              new DatasetRecord(Samples.DESCRIPTOR, new Origin("/p", 4), Samples.CACHE, descriptor, flush, ranks));
        }
      }
    }
  }

  @Test
  void theChecksumOfParityComesBack() {
    RankRecord rank = Samples.record().ranks().getFirst();
    for (int crc : new int[] {0, -1, 0x1b3f8a90}) {
      assertComesBack(Samples.record().with(rank.with(rank.redundancy().orElseThrow(), OptionalInt.of(crc))));
    }
  }

  @Test
  void twoFilesOfOneNameAreNotWritten() {
    FileMeta file = new FileMeta("f", "f", 1, OptionalInt.empty());
    assertThatThrownBy(() -> FilemapFile.encode(holding(List.of(file, file))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static DatasetRecord holding(List<FileMeta> files) {
    return Samples.record().with(
        List.of(new RankRecord(new RankFiles(2, files), Samples.SET, Optional.empty())));
  }

  private static void assertComesBack(DatasetRecord dataset) {
    assertThat(FilemapFile.decode(FilemapFile.encode(dataset))).isEqualTo(dataset);
  }
}
