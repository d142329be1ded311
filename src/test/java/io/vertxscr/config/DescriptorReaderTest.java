package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: GROUPS, STORE and CKPT entries as documented, with defaults from parameters. */
class DescriptorReaderTest {
  @TempDir
  private Path directory;

  @Test
  void theExampleOfTheDocumentsIsUnderstood() throws IOException {
    Descriptors read = read("SCR_COPY_TYPE=FILE",
        "GROUPS=host1 POWER=psu1 SWITCH=0", "GROUPS=host2 POWER=psu1 SWITCH=1",
        "CKPT=0 INTERVAL=1 GROUP=NODE   STORE=/tmp TYPE=XOR     SET_SIZE=16",
        "CKPT=1 INTERVAL=4 GROUP=NODE   STORE=/tmp TYPE=XOR     SET_SIZE=8  OUTPUT=1",
        "CKPT=2 INTERVAL=8 GROUP=SWITCH STORE=/tmp TYPE=PARTNER");

    assertThat(read.checkpoints()).containsExactly(
        new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(Scheme.XOR, 16), false),
        new CheckpointDescriptor(1, true, 4, "NODE", "/tmp", Redundancy.of(Scheme.XOR, 8), false),
        new CheckpointDescriptor(2, true, 8, "SWITCH", "/tmp", Redundancy.of(Scheme.PARTNER, 8), false));
    assertThat(read.output()).isEqualTo(OptionalInt.of(1));
    assertThat(read.groups().valueOf("SWITCH", "host2")).isEqualTo("1");
    assertThat(read.stores()).containsExactly(StoreDescriptor.of("/tmp", 1));
  }

  @Test
  void whatAnEntryLeavesOutComesFromTheParameters() throws IOException {
    Descriptors read = read("SCR_COPY_TYPE=FILE", "SCR_GROUP=POWER", "SCR_SET_SIZE=4", "SCR_CACHE_BASE=/ssd",
        "SCR_CACHE_SIZE=3", "GROUPS=host1 POWER=psu1", "STORE=/nvme COUNT=7", "STORE=/old ENABLED=0", "CKPT=0");

    assertThat(read.checkpoints()).containsExactly(
        new CheckpointDescriptor(0, true, 1, "POWER", "/ssd", Redundancy.of(Scheme.XOR, 4), false));
    assertThat(read.stores()).containsExactly(StoreDescriptor.of("/nvme", 7), StoreDescriptor.of("/ssd", 3));
  }

  @Test
  void aStoreSaysWhenItsDatasetsAreOnStableStorage() throws IOException {
    Descriptors read = read("SCR_COPY_TYPE=FILE", "SCR_CACHE_BASE=/ssd", "STORE=/ssd SYNC=complete",
        "STORE=/nvme SYNC=NONE", "STORE=/disk", "CKPT=0");
    assertThat(read.store("/ssd").sync()).isEqualTo(StoreSync.COMPLETE);
    assertThat(read.store("/nvme").sync()).isEqualTo(StoreSync.NONE);
    assertThat(read.store("/disk").sync()).isEqualTo(StoreSync.AUTO);
    assertThatThrownBy(() -> read("SCR_COPY_TYPE=FILE", "STORE=/ssd SYNC=ALWAYS", "CKPT=0"))
        .isInstanceOf(ScrException.class).hasMessageContainingAll("SYNC", "ALWAYS", "EVICT", "COMPLETE");
  }

  @Test
  void withoutFileTheParametersImplyOneDescriptorAndTheEntriesAreNotUsed() throws IOException {
    Descriptors read = read("SCR_COPY_TYPE=SINGLE", "CKPT=0 TYPE=PARTNER", "CKPT=1 INTERVAL=2");

    assertThat(read.checkpoints()).containsExactly(
        new CheckpointDescriptor(0, true, 1, "NODE", "/tmp", Redundancy.of(Scheme.SINGLE, 8), false));
  }

  @Test
  void setFailuresAreForReedSolomonAndWhereTheyAreSetForPartner() throws IOException {
    assertThat(implied("SCR_COPY_TYPE=RS")).isEqualTo(new Redundancy(Scheme.RS, 8, 2));
    assertThat(implied("SCR_COPY_TYPE=RS", "SCR_SET_SIZE=2")).isEqualTo(new Redundancy(Scheme.RS, 2, 1));
    assertThat(implied("SCR_COPY_TYPE=RS", "SCR_SET_FAILURES=3")).isEqualTo(new Redundancy(Scheme.RS, 8, 3));
    assertThat(implied("SCR_COPY_TYPE=PARTNER")).isEqualTo(new Redundancy(Scheme.PARTNER, 8, 1));
    assertThat(implied("SCR_COPY_TYPE=PARTNER", "SCR_SET_FAILURES=3")).isEqualTo(new Redundancy(Scheme.PARTNER, 8, 3));
    assertThat(implied("SCR_COPY_TYPE=XOR", "SCR_SET_FAILURES=3")).isEqualTo(new Redundancy(Scheme.XOR, 8, 1));
    assertThat(implied("SCR_COPY_TYPE=FILE", "SCR_SET_FAILURES=3", "CKPT=0 TYPE=RS SET_FAILURES=4"))
        .isEqualTo(new Redundancy(Scheme.RS, 8, 4));
    assertThatThrownBy(() -> implied("SCR_COPY_TYPE=RS", "SCR_SET_FAILURES=8"))
        .isInstanceOf(ScrException.class).hasMessage("SCR_COPY_TYPE=RS (" + directory.resolve("scr.conf") + " line 1),"
            + " SCR_SET_SIZE=8 (default), SCR_SET_FAILURES=8 (" + directory.resolve("scr.conf")
            + " line 2): RS in sets of 8: 8 failures cannot be survived, only 1 to 7");
  }

  private Redundancy implied(String... lines) throws IOException {
    return read(lines).checkpoints().getFirst().redundancy();
  }

  @Test
  void filesAreCompressedWhereAnEntrySaysSo() throws IOException {
    Descriptors read = read("SCR_COPY_TYPE=FILE", "CKPT=0 COMPRESS=NONE", "CKPT=1 INTERVAL=2 COMPRESS=zstd",
        "CKPT=2 INTERVAL=4 COMPRESS=ZSTD COMPRESS_LEVEL=19 OUTPUT=1");
    assertThat(read.checkpoints().stream().map(read::compression)).containsExactly(
        Optional.empty(), Optional.of(Compression.STANDARD), Optional.of(new Compression(19)));
    assertThat(read("CKPT=0 COMPRESS=ZSTD").compressions()).as("entries are not used").isEmpty();
  }

  @Test
  void filesInContainersAreNotCompressed() {
    assertThatThrownBy(() -> read("SCR_COPY_TYPE=FILE", "SCR_USE_CONTAINERS=1", "CKPT=0 COMPRESS=ZSTD"))
        .isInstanceOf(ScrException.class).hasMessageContaining("COMPRESS=ZSTD with SCR_USE_CONTAINERS=1");
  }

  @Test
  void oneStoreMayBeDefinedWithoutDefiningAll() throws IOException {
    assertThat(read("STORE=/ssd COUNT=2").stores())
        .containsExactly(StoreDescriptor.of("/ssd", 2), StoreDescriptor.of("/tmp", 1));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "CKPT=0 INTERVAL=2            | no enabled checkpoint descriptor has INTERVAL=1",
      "CKPT=1                       | CKPT=0 is missing",
      "CKPT=0 INTERVAL=0            | expected a whole number from 1",
      "CKPT=0 GROUP=POWR            | there is no group POWR; did you mean POWER?",
      "CKPT=0 TYPE=XOR SET_FAILURES=2 | XOR survives 1 failure, not 2: use RS",
      "CKPT=0 TYPE=RS SET_SIZE=4 SET_FAILURES=4 | 4 failures cannot be survived, only 1 to 3",
      "CKPT=0 OUTPUT=1 ENABLED=0    | no enabled checkpoint descriptor",
      "CKPT=0 STORE=/ssd            | there is no store /ssd that is enabled; there are [/tmp]",
      "CKPT=0 BYPASS=2              | expected 0 or 1",
      "CKPT=0 COMPRESS=ZSDT         | expected one of NONE, ZSTD; did you mean ZSTD?",
      "CKPT=0 COMPRES=ZSTD          | CKPT has no COMPRES; did you mean COMPRESS?",
      "CKPT=0 COMPRESS_LEVEL=3      | COMPRESS_LEVEL=3 without COMPRESS=ZSTD",
      "CKPT=0 COMPRESS=ZSTD COMPRESS_LEVEL=20 | expected a whole number from 1 to 19",
      "CKPT=0 COMPRESS=ZSTD BYPASS=1 | COMPRESS=ZSTD with BYPASS=1",
      "GROUPS=host2 NODE=x          | group NODE is built in",
      "#                            | there is no CKPT=0 entry"})
  void whatCannotBeMeantIsRefusedWithItsPlace(String entry, String why) throws IOException {
    assertThatThrownBy(() -> read("SCR_COPY_TYPE=FILE", "GROUPS=host1 POWER=psu1", entry))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining(why).hasMessageStartingWith(directory.resolve("scr.conf") + " line ");
  }

  @Test
  void aStoreThatIsNotEnabledCannotBeTheCache() {
    assertThatThrownBy(() -> read("STORE=/ssd ENABLED=0", "SCR_CACHE_BASE=/ssd")).isInstanceOf(ScrException.class)
        .hasMessage("SCR_CACHE_BASE=/ssd (" + directory.resolve("scr.conf") + " line 2): CKPT=0: there is no store"
            + " /ssd that is enabled; there are []");
  }

  /** A name is written with its domain in one place and without it in another. */
  @Test
  void aNodeWithoutAGroupIsToldWithTheNameThatMayHaveBeenMeant() throws IOException {
    Path file = Files.write(directory.resolve("scr.conf"), List.of("SCR_GROUP=POWER", "GROUPS=hsot1 POWER=a"));
    Settings settings = Settings.load(Map.of("USER", "alice"), Optional.of(file));
    assertThatThrownBy(() -> settings.of(new UserSettings(Optional.empty(), Map.of(), List.of())).on(List.of("host1")))
        .isInstanceOf(ScrException.class).hasMessage("node host1 has no value of group POWER: add a line"
            + " GROUPS=host1 POWER=... to the configuration; or is it the node that the configuration calls hsot1?");
  }

  private Descriptors read(String... lines) throws IOException {
    Path file = Files.write(directory.resolve("scr.conf"), List.of(lines));
    return Settings.load(Map.of("USER", "alice"), Optional.of(file)).policy().descriptors();
  }
}
