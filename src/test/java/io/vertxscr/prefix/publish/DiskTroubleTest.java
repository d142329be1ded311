package io.vertxscr.prefix.publish;

import static io.vertxscr.prefix.metadata.Samples.bytes;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.recorded.FaultyDisk.Kept;
import io.vertxscr.recorded.FaultyDisk.PowerLoss;
import io.vertxscr.recorded.FaultyDisk.Trouble;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: if the disk fails during a flush, the dataset before it can still be restarted from. The new one is whole or
 * not there. Method: trouble at EVERY operation of the flush, then a reader. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class DiskTroubleTest {
  private static final long SEED = Long.getLong("seed", 20261122);
  private static final int SEEDS = Integer.getInteger("seeds", 3);

  /** A disk with an old dataset in the prefix directory and a new one in the cache. */
  private static final class Scene {
    final FaultyDisk disk = new FaultyDisk();
    final Samples samples = new Samples(disk.directory("/work"));
    final List<Runnable> flush;

    Scene() {
      samples.flush(descriptor(1, "old"), List.of(samples.cached(1, 0, "o/x"), samples.cached(1, 1, "o/y")));
      List<RankFiles> ranks = List.of(samples.cached(2, 0, "n/x", "n/y"), samples.cached(2, 1, "n/z"));
      flush = samples.flushSteps(descriptor(2, "new"), ranks);
      disk.syncAll();
    }

    void flushUnder(Trouble trouble) {
      disk.trouble(trouble);
      flush.forEach(Runnable::run);
    }

    static int operations() {
      Scene scene = new Scene();
      scene.flushUnder(Trouble.NONE);
      return scene.disk.operations().size();
    }
  }

  /** What a restart does: the best dataset of the index that can be fetched whole. */
  private static Optional<Integer> restart(Samples samples, Path temp) {
    for (Index.Entry candidate : samples.index.read().index().candidates()) {
      if (samples.publication.isComplete(candidate.id()) && isWhole(samples, candidate.id(), temp)) {
        return Optional.of(candidate.id());
      }
    }
    return Optional.empty();
  }

  private static boolean isWhole(Samples samples, int id, Path temp) {
    Path fetched = temp.resolve("fetched" + id);
    FetchCopy fetch = new FetchCopy(samples.paths, id, fetched);
    try {
      new RankMapReader(samples.paths, id).forEach(entry -> {
        RankFiles files = Samples.fetched(fetch, entry);
        files.files().forEach(file -> assertThat(fetched.resolve(file.name()))
            .hasBinaryContent(bytes(id, entry.rank(), file.path())));
      });
      return true;
    } catch (ScrException e) {
      return false;
    }
  }

  /** One loss of power at each operation, and all that a disk may have kept then. */
  @Test
  void aLossOfPowerAtAnyOperationLeavesTheOldDatasetAndTheNewOneWholeOrNotAtAll() throws IOException {
    int operations = Scene.operations();
    for (int at = 1; at <= operations; at++) {
      Scene scene = new Scene();
      int operation = at;
      assertThatThrownBy(() -> scene.flushUnder(Trouble.powerLossAt(operation))).isInstanceOf(PowerLoss.class);
      String what = "operation " + at + ": " + scene.disk.operations().getLast();
      try (scene.disk) {
        for (Kept kept : Kept.values()) {
          for (int seed = 0; seed < (kept == Kept.SOME ? SEEDS : 1); seed++) {
            requireOldAndNoHalfNew(scene, kept, SEED + seed, kept + ", seed " + (SEED + seed) + ", " + what);
          }
        }
      }
    }
  }

  private static void requireOldAndNoHalfNew(Scene scene, Kept kept, long seed, String when) throws IOException {
    try (FaultyDisk after = scene.disk.afterPowerLoss(kept, new Random(seed))) {
      Samples found = new Samples(after.directory("/work"));
      Path temp = after.directory("/temp");
      assertThat(restart(found, temp)).as(when).isPresent();
      assertThat(found.index.read().remarks()).as(when).isEmpty();
      assertThat(isWhole(found, 1, temp)).as("the old one, " + when).isTrue();
      if (found.publication.isComplete(2)) {
        assertThat(isWhole(found, 2, temp)).as("the new one, " + when).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void whatAFlushHasReportedOutlivesALossOfPower(Kept kept) throws IOException {
    Scene scene = new Scene();
    scene.flushUnder(Trouble.NONE);
    try (scene.disk; FaultyDisk after = scene.disk.afterPowerLoss(kept, new Random(SEED))) {
      assertThat(restart(new Samples(after.directory("/work")), after.directory("/temp"))).hasValue(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Input/output error", "No space left on device"})
  void anOperationThatFailsIsNamedAndTheSameFlushSucceedsLater(String reason) throws IOException {
    int operations = Scene.operations();
    for (int at = 1; at <= operations; at++) {
      Scene scene = new Scene();
      ScrException failure = failure(scene, Trouble.failureAt(at, reason));
      scene.disk.trouble(Trouble.NONE);
      try (scene.disk) {
        String when = "operation " + at + ", " + failure;
        if (failure != null) {
          boolean ofCache = failure.getMessage().contains("cached copy");    // which counts as lost then
          assertThat(failure.fault()).as(when).isIn(ofCache ? Fault.CORRUPT : Fault.IO, Fault.NO_SPACE);
          assertThat(failure.getMessage()).as(when).contains(reason);
        }
        Path temp = scene.disk.directory("/temp");
        assertThat(restart(scene.samples, temp)).as(when).isPresent();
        assertThat(isWhole(scene.samples, 1, temp)).as(when).isTrue();
        scene.flush.forEach(Runnable::run);
        assertThat(restart(scene.samples, temp)).as(when).hasValue(2);
      }
    }
  }

  /** Null where the flush did not need what failed. */
  private static ScrException failure(Scene scene, Trouble trouble) {
    try {
      scene.flushUnder(trouble);
      return null;
    } catch (ScrException e) {
      return e;
    }
  }

  @Test
  void aDiskThatIsFullFromAnyOperationOnIsNamedAndKeepsTheOldDataset() throws IOException {
    int operations = Scene.operations();
    for (int at = 1; at <= operations; at++) {
      Scene scene = new Scene();
      ScrException failure = failure(scene, Trouble.fullFrom(at));
      scene.disk.trouble(Trouble.NONE);
      try (scene.disk) {
        String when = "operation " + at + ", " + failure;
        assertThat(failure == null || failure.fault() == Fault.NO_SPACE).as(when).isTrue();
        Path temp = scene.disk.directory("/temp");
        assertThat(isWhole(scene.samples, 1, temp)).as(when).isTrue();
        assertThat(restart(scene.samples, temp)).as(when).isPresent();
      }
    }
  }
}
