package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a disk that fails once costs no file, one that goes on failing does. Method: trouble at each operation of a
 * check, on a disk in memory.
 */
class FileChecksTest {
  private final FaultyDisk disk = new FaultyDisk();
  private final AtomicInteger operations = new AtomicInteger();
  private Path directory;
  private FileMeta file;

  @BeforeEach
  void write() throws IOException {
    directory = disk.directory("/cache");
    Path path = Files.write(directory.resolve("a"), new byte[300_000]);
    file = new FileMeta("a", "/p/a", Files.size(path), OptionalInt.of(FileChecks.crc(path)));
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private Optional<String> problem(IntPredicate fails) {
    operations.set(0);
    disk.trouble((_, what) -> {
      if (fails.test(operations.getAndIncrement())) {
        throw new IOException("Input/output error at " + what);
      }
    });
    return FileChecks.problem(directory, file);
  }

  @Test
  void aFileOfTheParallelFileSystemThatCannotBeReadNowIsNotABadOne() throws IOException {
    assertThat(FileChecks.problemUnlessUnreadable(directory, file)).isEmpty();
    problem(_ -> false);
    int all = operations.get();
    for (int at = 0; at < all; at++) {
      int failing = at;
      problem(_ -> false);
      operations.set(0);
      disk.trouble((_, what) -> {
        if (operations.getAndIncrement() == failing) {
          throw new IOException("Input/output error at " + what);
        }
      });
      assertThatThrownBy(() -> FileChecks.problemUnlessUnreadable(directory, file)).as("operation %d", at)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO))
          .hasMessageContaining("Input/output error");
    }
    disk.trouble((_, _) -> {});
    Files.write(directory.resolve("a"), new byte[299_999]);
    assertThat(FileChecks.problemUnlessUnreadable(directory, file)).isPresent();
    Files.delete(directory.resolve("a"));
    assertThat(FileChecks.problemUnlessUnreadable(directory, file)).hasValueSatisfying(
        why -> assertThat(why).endsWith("is missing"));
  }

  @Test
  void whatFailsOnceIsTriedAgain() {
    assertThat(problem(_ -> false)).isEmpty();
    int all = operations.get();
    assertThat(all).as("opening, reading, closing").isGreaterThanOrEqualTo(3);
    for (int at = 0; at < all; at++) {
      int only = at;
      assertThat(problem(number -> number == only)).as("operation %d fails", at).isEmpty();
      assertThat(problem(number -> number >= only)).as("all from operation %d on fail", at).hasValueSatisfying(
          why -> assertThat(why).contains("/cache/a", "Input/output error"));
    }
  }

  @Test
  void whatIsNotThatFileIsReadOnce() throws IOException {
    assertThat(problem(_ -> false)).isEmpty();
    int once = operations.get();
    FileMeta good = file;
    file = good.withCrc(1);
    assertThat(problem(_ -> false)).hasValueSatisfying(why -> assertThat(why).contains(" instead of 0x00000001"));
    assertThat(operations).hasValue(once);
    file = new FileMeta("b", "/p/b", 1, OptionalInt.empty());
    assertThat(problem(_ -> false)).hasValue(directory.resolve("b") + " is missing");
    Files.createDirectory(directory.resolve("d"));
    file = new FileMeta("d", "/p/d", 1, OptionalInt.empty());
    assertThat(problem(_ -> false)).hasValueSatisfying(why -> assertThat(why).endsWith(" is missing"));
  }
}
