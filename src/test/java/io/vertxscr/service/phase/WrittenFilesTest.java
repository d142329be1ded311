package io.vertxscr.service.phase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: a rank is told that it has written no file where that is so. Method: looks at its file fail. */
class WrittenFilesTest {
  @Test
  void anErrorIsNotTakenForAFileThatWasNotWritten() throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      DatasetStore store = DatasetStore.open(new NodeDirectories(disk.directory("/cache"), disk.directory("/control")));
      Path directory = disk.directory("/dataset");
      Path file = Files.writeString(disk.directory("/dataset/rank.2").resolve("a"), "bytes of a");
      WrittenFiles routed = new WrittenFiles(List.of(new RankFiles(2,
          List.of(new FileMeta("rank.2/a", "out/a", 0, OptionalInt.empty())))), List.of(), Map.of(), "", Map.of());
      disk.looks(FaultyDisk.Look.failsOnce(file::equals));
      WrittenFiles measured = routed.measured(directory, store.sealing(1, Instant.MAX));
      assertThat(measured.mistakes()).isEmpty();
      assertThat(measured.ranks().getFirst().bytes()).isEqualTo(Files.size(file));
      disk.looks(looked -> {
        if (looked.equals(file)) {
          throw new IOException("Input/output error");
        }
      });
      assertThatThrownBy(() -> routed.measured(directory, store.sealing(1, Instant.MAX)))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO))
          .hasMessageContaining(file.toString());
      disk.looks(_ -> { });
      Files.delete(file);
      assertThat(routed.measured(directory, store.sealing(1, Instant.MAX)).mistakes().get(2))
          .contains("wrote no file at " + file);
    }
  }
}
