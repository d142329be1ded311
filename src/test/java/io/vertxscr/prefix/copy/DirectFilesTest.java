package io.vertxscr.prefix.copy;

import static io.vertxscr.prefix.metadata.Samples.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Goal: a rank is told that it has written no file where that is so. Method: one look at its file fails. */
class DirectFilesTest {
  @Test
  void anErrorIsNotTakenForAFileThatWasNotWritten() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Samples samples = new Samples(disk.directory("/job"));
      RankFiles routed = samples.cached(3, 0, "d/x");
      Path place = samples.paths.file("d/x");
      DirectFiles files = new DirectFiles(samples.paths, 3);
      files.prepare("d/x");
      refused(Fault.NOT_VALID, () -> files.readBack(routed), "wrote no file");
      Path elsewhere = disk.directory("/job").resolve("elsewhere");
      Samples.write(elsewhere, Samples.bytes(3, 0, "d/x"));
      Files.createSymbolicLink(place, elsewhere);
      disk.looks(FaultyDisk.Look.failsOnce(place::equals));
      refused(Fault.IO, () -> files.readBack(routed), place.toString());
      assertThat(files.readBack(routed).bytes()).as("links are followed").isEqualTo(routed.bytes());
    }
  }
}
