package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.recorded.RecordedFileSystemProvider;
import io.vertxscr.recorded.States;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what is called durable outlives a loss of power. Method: a file system that notes each change and each sync; a
 * kill of the process, which other tests do, loses nothing of what was not synced.
 */
class SyncedTest {
  @TempDir
  private Path directory;
  private Path file;
  private List<String> tape;

  @BeforeEach
  void begin() {
    file = RecordedFileSystemProvider.recorded(directory).resolve("f");
    tape = States.tape(directory);
  }

  @AfterEach
  void end() {
    States.endTape();
  }

  @Test
  void aFileIsReplacedByDraftSyncRenameAndDirectorySync() {
    AtomicFile.replace(file, new byte[10]);

    String draft = "f" + AtomicFile.DRAFT_SUFFIX;
    assertThat(tape.subList(tape.indexOf("write the rest of " + draft), tape.size())).satisfiesExactly(
        first -> assertThat(first).isEqualTo("write the rest of " + draft),
        second -> assertThat(second).isEqualTo("sync " + draft),
        third -> assertThat(third).startsWith("move "),
        fourth -> assertThat(fourth).isEqualTo("sync"));
  }

  @Test
  void aFileIsDeletedWithASyncOfItsDirectory() {
    AtomicFile.replace(file, new byte[10]);
    tape.clear();
    AtomicFile.delete(file);
    assertThat(tape).containsExactly("delete f", "sync");
    AtomicFile.delete(file);
    assertThat(tape).as("nothing was there").filteredOn("sync"::equals).hasSize(1);
  }
}
