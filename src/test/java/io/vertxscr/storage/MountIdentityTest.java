package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.Seal;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: what was written is known by its attributes only within one mount. Method: a machine's sysfs in memory. */
class MountIdentityTest {
  private final FaultyDisk machine = new FaultyDisk();
  private Path file;

  @BeforeEach
  void boot() throws IOException {
    Files.writeString(machine.directory("/proc/sys/kernel/random").resolve("boot_id"), "b8c1\n");
    file = Files.writeString(machine.directory("/cache").resolve("a"), "bytes of a");
  }

  @AfterEach
  void end() throws IOException {
    machine.close();
  }

  /** As the kernel does when it mounts a file system of this device. */
  private void mount(String type, String device) throws IOException {
    long number = ((Number) Files.getAttribute(file, "unix:dev")).longValue();
    Path link = machine.directory("/sys/dev/block").resolve((number >> 8) + ":" + (number & 0xff));
    if (!Files.exists(link)) {
      Files.createSymbolicLink(link, machine.directory("/sys/devices/virtual/block/" + device));
    }
    machine.directory("/sys/fs/" + type + "/" + device);
  }

  private void unmount(String type, String device) throws IOException {
    Files.delete(machine.directory("/sys/fs/" + type).resolve(device));
  }

  private String identity() throws IOException {
    return MountIdentity.on(machine.system()).orElseThrow().of(file);
  }

  @Test
  void eachMountHasItsOwnAndTheSameAsLongAsItLasts() throws IOException {
    mount("xfs", "dm-7");
    String first = identity();
    assertThat(first).startsWith("b8c1/").isEqualTo(identity());
    unmount("xfs", "dm-7");
    mount("xfs", "dm-7");
    assertThat(identity()).startsWith("b8c1/").isNotEqualTo(first);
  }

  @Test
  void whereTheKernelTellsOfNoMountItIsTheBootAlone() throws IOException {
    assertThat(identity()).isEqualTo("b8c1");
    mount("btrfs", "dm-7");
    assertThat(identity()).isEqualTo("b8c1");
  }

  @Test
  void whereNobodyTellsTheBootThereIsNone() throws IOException {
    mount("ext4", "dm-7");
    Files.delete(machine.directory("/proc/sys/kernel/random").resolve("boot_id"));
    assertThat(MountIdentity.on(machine.system())).isEmpty();
  }

  @Test
  void aFileThatNobodyHasReadIsNotTrustedWhenItIsMountedAgain() throws IOException {
    mount("ext4", "dm-7");
    FileMeta measured = new FileMeta("a", "out", Files.size(file), OptionalInt.empty(),
        Optional.of(FileStamps.read(file)));
    FileMeta noted = UnreadFiles.note(file.getParent(), new RankFiles(0, List.of(measured))).orElseThrow().files()
        .getFirst();
    assertThat(UnreadFiles.problem(file, noted)).isEmpty();
    unmount("ext4", "dm-7");
    mount("ext4", "dm-7");
    assertThat(UnreadFiles.problem(file, noted)).get().asString().contains("its file system was unmounted");
  }

  @Test
  void noSealIsTrustedWhenItIsMountedAgain() throws IOException {
    mount("ext4", "dm-7");
    Seal seal = FileIdentity.of(file).orElseThrow().seal();
    RankSeals seals = new Sealing(identity(), true, Instant.EPOCH).seals(List.of(Optional.of(seal)), Optional.empty());
    assertThat(new Sealing(identity(), true, Instant.EPOCH).valid(seals)).isEqualTo(seals);
    unmount("ext4", "dm-7");
    mount("ext4", "dm-7");
    assertThat(new Sealing(identity(), true, Instant.EPOCH).valid(seals)).isEqualTo(RankSeals.NONE);
  }
}
