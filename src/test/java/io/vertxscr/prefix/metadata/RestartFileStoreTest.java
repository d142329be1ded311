package io.vertxscr.prefix.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.RestartHistory;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the restart history is durable. A corrupt file counts as missing, and is replaced by the next change. */
class RestartFileStoreTest {
  @TempDir
  Path temp;

  @Test
  void changesAddUpEveryFlippedBitMeansAnEmptyFileAndNoChangeWritesNothing() {
    RestartFileStore store = new RestartFileStore(new PrefixPaths(temp),
        PatientLocks.user("n0", Duration.ofSeconds(20)));
    assertThat(store.read()).isEqualTo(RestartHistory.EMPTY);
    assertThat(store.update(RestartHistory::progressed)).isEqualTo(RestartHistory.EMPTY);
    assertThat(temp).as("nothing to write").isEmptyDirectory();
    store.update(history -> history.loaded(5, 77, "a", 1));
    RestartHistory twice = store.update(history -> history.loaded(5, 77, "a", 1));
    assertThat(twice.loads()).singleElement().satisfies(load -> assertThat(load.times()).isEqualTo(2));
    assertThat(store.read()).isEqualTo(twice);
    Samples.forEveryBitFlip(temp.resolve(".scr/restart.scr"),
        () -> assertThat(store.read()).isEqualTo(RestartHistory.EMPTY));
    Samples.write(temp.resolve(".scr/restart.scr"), new byte[7]);
    assertThat(store.update(history -> history.knowing(3)).lastDatasetId()).isEqualTo(3);
  }
}
