package io.vertxscr.service.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk.Trouble;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectMachine;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: where a run has begun is known later. Method: a disk in memory that loses power, or is full. */
class PrefixCheckTest {
  @Test
  void aDirectoryThatWasMadeIsThereAfterALossOfPower() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      Path prefix = disk.directory("/pfs").resolve("prefix");
      assertThat(PrefixCheck.make(new PrefixPaths(prefix))).isPresent();
      try (FaultyDisk after = disk.afterPowerLoss(FaultyDisk.Kept.NOTHING, new Random(1))) {
        assertThat(Files.isDirectory(after.system().getPath(prefix + "/.scr"))).isTrue();
      }
    }
  }

  /** A store that is down, or refuses the credentials. */
  @ParameterizedTest
  @ValueSource(strings = {"there is no bucket b", "connection refused"})
  void aStoreThatCannotBeAskedIsNotCalledAbsent(String why) {
    MemoryObjectStore store = new MemoryObjectStore(1);
    store.disturb(new MemoryObjectStore.Interference() {
      @Override
      public void before(String call, String key) throws IOException {
        throw new FileSystemException("s3://bucket/" + key, null, why);
      }
    });
    Path prefix = new ObjectMachine(store, 1).path("run");
    assertThatThrownBy(() -> PrefixCheck.make(new PrefixPaths(prefix))).isInstanceOfSatisfying(ScrException.class,
        refusal -> assertThat(refusal.fault()).isEqualTo(Fault.IO))
        .hasMessageStartingWith("the prefix directory /ckpt/run cannot be looked at: " + why + ". No run begins");
    assertThatThrownBy(() -> PrefixDirectories.named(prefix))
        .hasMessage("prefix directory /ckpt/run cannot be looked at: " + why);
    assertThatThrownBy(() -> PrefixDirectories.create(prefix, prefix.resolve("a")))
        .hasMessage("the prefix directory /ckpt/run cannot be looked at: " + why);
  }

  @Test
  void inAFullDirectoryThatIsNewNoRunBegins() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      PrefixPaths paths = new PrefixPaths(disk.directory("/pfs/prefix"));
      disk.trouble(Trouble.fullFrom(1));
      assertThatThrownBy(() -> PrefixCheck.make(paths)).isInstanceOfSatisfying(ScrException.class, refusal ->
          assertThat(refusal.fault()).isEqualTo(Fault.IO)).hasMessageContainingAll("/pfs/prefix", "No run begins");
      disk.trouble(Trouble.NONE);
      assertThat(PrefixCheck.make(paths)).isEmpty();
      assertThat(paths.scr()).as("what a run is known by").isDirectory();
    }
  }
}
