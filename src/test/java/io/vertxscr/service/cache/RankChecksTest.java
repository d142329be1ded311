package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.Samples;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.simulation.SimulatedMachine;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: files that were right are not read again while nobody touches them, on the same boot. Whoever touches one is
 * noticed, whatever he sets back. Method: on a simulated machine, the times of whose files come from a
 * clock of the test.
 */
class RankChecksTest {
  private static final DatasetKey DATASET = Samples.DESCRIPTOR.key();
  private static final List<String> NAMES = List.of("a", "b");

  private SimulatedMachine machine;
  private DatasetStore store;
  private Path directory;
  private RankRecord rank;

  @BeforeEach
  void write() throws IOException {
    machine = new SimulatedMachine("tmpfs");
    boot("first");
    directory = store.createDirectory(DATASET.id());
    for (String name : NAMES) {
      Files.writeString(directory.resolve(name), "bytes of " + name);
    }
    rank = new RankRecord(new RankFiles(2, NAMES.stream().map(name -> new FileMeta(name, "out/" + name,
        "bytes of a".length(), OptionalInt.of(FileChecks.crc(directory.resolve(name))))).toList()), Samples.SET,
        Optional.empty());
    DatasetRecord sample = Samples.record();
    store.save(new DatasetRecord(sample.descriptor(), sample.origin(), store.cache(DATASET.id()), sample.redundancy(),
        sample.flush(), List.of(rank)));
    machine.pass(Duration.ofSeconds(1));
  }

  /** The machine starts, and a daemon on it. */
  private void boot(String id) throws IOException {
    machine.boot(id);
    store = DatasetStore.open(new NodeDirectories(machine.path("/local/cache"), machine.path("/local/control")));
  }

  private RankChecks.Checked check(boolean everything) {
    return new RankChecks(store, machine::now).check(DATASET, rank, everything);
  }

  /** Checks and keeps the seals, as the filemap does. @return how often a file was opened */
  private int opened(boolean everything) {
    machine.opened();
    RankChecks.Checked checked = check(everything);
    assertThat(checked.files()).isEmpty();
    rank = checked.rank();
    return machine.opened();
  }

  @Test
  void whatWasFoundRightIsNotReadAgain() {
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(opened(false)).isZero();
    machine.pass(Duration.ofDays(30));
    assertThat(opened(false)).isZero();
    assertThat(opened(true)).as("but where everything is wanted").isEqualTo(NAMES.size());
  }

  @Test
  void whatWasTouchedIsReadAlone() throws IOException {
    opened(false);
    Files.setLastModifiedTime(directory.resolve("b"), FileTime.from(Instant.EPOCH));
    machine.pass(Duration.ofSeconds(1));
    assertThat(opened(false)).isEqualTo(1);
    assertThat(opened(false)).isZero();
  }

  @Test
  void onAnotherBootEverythingIsRead() throws IOException {
    opened(false);
    RankSeals first = rank.seals();
    boot("second");
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(rank.seals().mount()).isNotEqualTo(first.mount());
    assertThat(rank.seals().files()).isEqualTo(first.files());
    assertThat(opened(false)).isZero();
  }

  @Test
  void whereNobodyTellsTheBootEverythingIsRead() throws IOException {
    machine.forgetBoot();
    store = DatasetStore.open(new NodeDirectories(machine.path("/local/cache"), machine.path("/local/control")));
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(opened(false)).isEqualTo(NAMES.size());
  }

  /** As a write in the same tick of the kernel's clock would not show. */
  @Test
  void aFileThatHasJustChangedIsReadAgain() throws IOException {
    Files.writeString(directory.resolve("b"), "bytes of b");
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(opened(false)).as("b").isEqualTo(1);
    machine.pass(Duration.ofMillis(21));
    assertThat(opened(false)).isEqualTo(1);
    assertThat(opened(false)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nfs4", "lustre", "fuse.sshfs"})
  void onAFileSystemThatIsNotExactEverythingIsRead(String kind) throws IOException {
    machine.kind(kind);
    boot("first");
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(opened(false)).isEqualTo(NAMES.size());
  }

  @Test
  void otherBytesAreNoticedThoughTheirTimeIsSetBack() throws IOException {
    opened(false);
    Path touched = directory.resolve("b");
    FileTime before = Files.getLastModifiedTime(touched);
    Files.writeString(touched, "bytes of B");
    Files.setLastModifiedTime(touched, before);
    RankChecks.Checked found = check(false);
    assertThat(found.files()).get().asString().contains("checksum");
    assertThat(found.rank().seals()).as("none of a rank that is wrong").isEqualTo(RankSeals.NONE);
    Path other = Files.writeString(directory.resolve("other"), "bytes of c");
    Files.setLastModifiedTime(other, before);
    Files.move(other, touched, StandardCopyOption.REPLACE_EXISTING);
    assertThat(check(false).files()).get().asString().contains("checksum");
    Files.delete(touched);
    assertThat(check(false).files()).get().asString().contains("missing");
  }

  @Test
  void whatIsMarkedAsDamagedIsReadThoughItsTimesAreTheSame() {
    opened(false);
    store.damaged().mark(DATASET, rank, HeldPart.FILES, "a bit has flipped", false);
    assertThat(opened(false)).isEqualTo(NAMES.size());
  }

  /** The kernel may have dropped what it could not write, and no time tells of that. */
  @Test
  void whatASyncHasFailedForIsReadThoughItsTimesAreTheSame() throws IOException {
    opened(false);
    Files.createFile(machine.path("/local/control/scr.dataset." + DATASET.id() + ".lostwrites"));
    boot("first");
    assertThat(opened(false)).isEqualTo(NAMES.size());
    assertThat(opened(false)).isEqualTo(NAMES.size());
  }

  @Test
  void otherChecksumsAreOtherFiles() {
    opened(false);
    List<FileMeta> files = rank.files().files();
    rank = rank.with(new RankFiles(2, List.of(files.getFirst(), files.getLast().withCrc(1))));
    assertThat(check(false).files()).get().asString().contains("checksum");
  }
}
