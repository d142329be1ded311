package io.vertxscr.prefix.metadata;

import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.scavenge.PatientLocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: scripts find whole files. A corrupt one counts as missing, and is replaced by the next change. */
class FlushFileStoreTest {
  @TempDir
  Path temp;

  @Test
  void changesAddUpAndEveryFlippedBitMeansAnEmptyFile() {
    FlushFileStore store = new FlushFileStore(new PrefixPaths(temp), PatientLocks.user("n0", Duration.ofSeconds(20)));
    assertThat(store.read()).isEqualTo(FlushStatus.EMPTY);
    store.update(status -> status.put(descriptor(1, "a"), Set.of(Location.CACHE)));
    FlushStatus both = store.update(status -> status.put(descriptor(2, "b"), Set.of(Location.CACHE, Location.PFS)));
    assertThat(both.entries()).hasSize(2);
    assertThat(store.read()).isEqualTo(both);
    Samples.forEveryBitFlip(temp.resolve(".scr/flush.scr"),
        () -> assertThat(store.read()).isEqualTo(FlushStatus.EMPTY));
    Samples.write(temp.resolve(".scr/flush.scr"), new byte[7]);
    assertThat(store.update(status -> status.put(descriptor(3, "c"), Set.of(Location.PFS))).entries()).hasSize(1);
  }

  @Test
  void theOldestOfManyThatHaveArrivedAreForgotten() {
    FlushStatus status = FlushStatus.EMPTY.put(descriptor(1, "a"), Set.of(Location.CACHE));
    for (int id = 2; id <= FlushStatus.MOST_ARRIVED + 3; id++) {
      status = status.put(descriptor(id, "b"), Set.of(Location.PFS));
    }
    assertThat(status.entries()).hasSize(1 + FlushStatus.MOST_ARRIVED);
    assertThat(status.find(1)).as("only in the caches").isPresent();
    assertThat(status.find(3)).isEmpty();
    assertThat(status.find(4)).isPresent();
  }

  @Test
  void theNumberOfNodesIsKept() {
    FlushFileStore store = new FlushFileStore(new PrefixPaths(temp), PatientLocks.user("n0", Duration.ofSeconds(20)));
    assertThat(store.nodes()).isEmpty();
    store.writeNodes(4);
    store.writeNodes(5);
    assertThat(store.nodes()).hasValue(5);
    Samples.forEveryBitFlip(temp.resolve(".scr/nodes.scr"), () -> assertThat(store.nodes()).isEmpty());
  }

  @Test
  void aNumberThatIsThereIsNotWrittenAgain() throws IOException {
    FlushFileStore store = new FlushFileStore(new PrefixPaths(temp), PatientLocks.user("n0", Duration.ofSeconds(20)));
    store.writeNodes(4);
    Object before = Files.getAttribute(temp.resolve(".scr/nodes.scr"), "unix:ino");
    store.writeNodes(4);
    assertThat(Files.getAttribute(temp.resolve(".scr/nodes.scr"), "unix:ino")).isEqualTo(before);
    Samples.write(temp.resolve(".scr/nodes.scr"), new byte[7]);
    store.writeNodes(4);
    assertThat(store.nodes()).hasValue(4);
  }
}
