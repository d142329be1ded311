package io.vertxscr.prefix.metadata;

import io.vertxscr.prefix.metadata.HaltFileStore.HaltFileVersion;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.HaltFile;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HaltFileStoreTest {
  @TempDir
  Path prefix;
  private HaltFileStore store;

  @BeforeEach
  void open() {
    store = new HaltFileStore(new PrefixPaths(prefix), PatientLocks.user("test", Duration.ofSeconds(30)));
  }

  @Test
  void whatIsSetIsReadAndWhatIsTakenBackLeavesNoFile() {
    assertThat(store.read()).isEqualTo(Halt.NONE);
    Halt now = store.update(halt -> halt.now("JOB_HALTED"));
    assertThat(now.immediate()).isTrue();
    assertThat(store.read()).isEqualTo(now);
    store.update(_ -> Halt.NONE);
    assertThat(prefix.resolve(".scr/halt.scr")).doesNotExist();
    assertThat(store.read()).isEqualTo(Halt.NONE);
  }

  @Test
  void everyChangeChangesTheVersionAndReadingDoesNot() {
    List<HaltFileVersion> versions = new ArrayList<>(List.of(store.version()));
    for (int left = 9; left >= 0; left--) {               // of the same size each, within the same moment
      OptionalInt count = OptionalInt.of(left);
      store.update(halt -> halt.withCheckpointsLeft(count));
      versions.add(store.version());
      store.read();
      assertThat(store.version()).isEqualTo(versions.getLast());
    }
    for (int i = 1; i < versions.size(); i++) {
      assertThat(versions.get(i)).isNotEqualTo(versions.get(i - 1));
    }
  }

  @Test
  void manyAtOnceLoseNoChange() {
    int threads = 4;
    int each = 10;
    store.update(halt -> halt.withCheckpointsLeft(OptionalInt.of(threads * each)));
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int run = thread;
      all.add(CompletableFuture.runAsync(() -> {
        for (int i = 0; i < each; i++) {
          int id = i;
          store.update(halt -> halt.afterCheckpoint(run, id));
        }
      }));
    }
    all.forEach(CompletableFuture::join);
    assertThat(store.read().checkpointsLeft()).hasValue(0);
  }

  @Test
  void aDamagedFileIsRefusedToReadersAndReplacedByTheNextChange() throws Exception {
    store.update(halt -> halt.now("JOB_HALTED"));
    byte[] bytes = Files.readAllBytes(store.file());
    assertThat(HaltFile.decode(bytes)).isEqualTo(store.read());
    bytes[bytes.length / 2] ^= 1;
    Files.write(store.file(), bytes);
    assertThatThrownBy(store::read).isInstanceOf(ScrException.class).hasMessageContaining("halt.scr");
    assertThat(store.update(halt -> halt.withCheckpointsLeft(OptionalInt.of(2)))).isEqualTo(store.read());
  }
}
