package io.vertxscr.service.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: a prefix directory that a run has created outlives a loss of power. Method: a disk in memory that loses it. */
class PrefixCheckTest {
  @Test
  void aDirectoryThatWasMadeIsThereAfterALossOfPower() throws Exception {
    try (FaultyDisk disk = new FaultyDisk()) {
      Path prefix = disk.directory("/pfs").resolve("prefix");
      assertThat(PrefixCheck.make(new PrefixPaths(prefix))).isPresent();
      try (FaultyDisk after = disk.afterPowerLoss(FaultyDisk.Kept.NOTHING, new Random(1))) {
        assertThat(Files.isDirectory(after.system().getPath(prefix.toString()))).isTrue();
      }
    }
  }
}
