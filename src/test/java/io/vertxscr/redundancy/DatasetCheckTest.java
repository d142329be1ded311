package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.Samples;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.storage.FileChecks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a disk that fails once while all is read costs no dataset, one that goes on failing does. Method: trouble at
 * each operation of a check of two files, on a disk in memory.
 */
class DatasetCheckTest {
  private final FaultyDisk disk = new FaultyDisk();
  private final AtomicInteger operations = new AtomicInteger();
  private Path directory;
  private DatasetRecord record;

  @BeforeEach
  void write() throws IOException {
    directory = disk.directory("/cache");
    RankFiles files = new RankFiles(0, List.of(file("a", 300_000), file("b", 10)));
    record = new DatasetRecord(Samples.DESCRIPTOR, new Origin("/p", 1), Samples.CACHE, Samples.REDUNDANCY,
        FlushState.NOT_WANTED, List.of(new RankRecord(files, new RedundancySet(List.of(0)), Optional.empty())));
  }

  private FileMeta file(String name, int bytes) throws IOException {
    Path path = Files.write(directory.resolve(name), new byte[bytes]);
    return new FileMeta(name, "/p/" + name, bytes, OptionalInt.of(FileChecks.crc(path)));
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private List<DatasetCheck.Deviation> deviations(IntPredicate fails) {
    operations.set(0);
    disk.trouble((_, what) -> {
      if (fails.test(operations.getAndIncrement())) {
        throw new IOException("Input/output error at " + what);
      }
    });
    DatasetCheck check = new DatasetCheck(record, directory);
    while (!check.isDone()) {
      check.read();
    }
    return check.takeDeviations();
  }

  @Test
  void whatFailsOnceIsReadAgain() {
    assertThat(deviations(_ -> false)).isEmpty();
    int all = operations.get();
    assertThat(all).as("looks and openings").isGreaterThanOrEqualTo(4);
    for (int at = 0; at < all; at++) {
      int only = at;
      assertThat(deviations(number -> number == only)).as("operation %d fails", at).isEmpty();
      assertThat(deviations(number -> number >= only)).as("all from operation %d on fail", at).singleElement()
          .satisfies(found -> assertThat(found.problem()).contains("Input/output error"));
    }
  }
}
