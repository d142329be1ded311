package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.recorded.FaultyDisk.Kept;
import io.vertxscr.recorded.FaultyDisk.PowerLoss;
import io.vertxscr.recorded.FaultyDisk.Trouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the filemap is the commit, even if the disk fails. A dataset is held with all that its filemap names, or not
 * held. Method: trouble at EVERY operation of saving one dataset and evicting another. Replay with -Dseed=N.
 */
@Execution(ExecutionMode.CONCURRENT)
class DatasetStoreDiskTest {
  private static final long SEED = Long.getLong("seed", 20261122);
  private static final int SEEDS = Integer.getInteger("seeds", 5);
  private static final int KEPT = 1;
  private static final int OLD = 2;
  private static final int NEW = 3;

  /** A store with two datasets on a disk. */
  private static final class Scene {
    final FaultyDisk disk = new FaultyDisk();
    final NodeDirectories directories = directories(disk);
    final DatasetStore store = DatasetStore.open(directories);

    Scene() {
      save(KEPT);
      save(OLD);
      disk.syncAll();
    }

    static NodeDirectories directories(FaultyDisk disk) {
      Path root = disk.directory("/node");
      return new NodeDirectories(root.resolve("cache"), root.resolve("control"));
    }

    void work(Trouble trouble) {
      disk.trouble(trouble);
      save(NEW);
      store.evict(OLD);
      store.emptyTrash();
    }

    private void save(int id) {
      DatasetRecord record = DatasetStoreTest.dataset(id, 1, store.cache(id));
      try {
        store.createDirectory(id, 0);
        Path redundancy = redundancy(store, id);
        Trees.make(redundancy.getParent());
        NewFile.plain(redundancy, out -> {
          out.write(ByteBuffer.wrap(parity(id)));
          out.force(true);
          return null;
        });
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      store.save(record);
    }

    static int operations() {
      Scene scene = new Scene();
      scene.work(Trouble.NONE);
      return scene.disk.operations().size();
    }
  }

  private static Path redundancy(DatasetStore store, int id) {
    return store.directory(id).resolve(".scr/g1/1_of_2_in_0.xor");
  }

  private static byte[] parity(int id) {
    return new byte[600 + id];
  }

  /** What the filemap names must be there; the application syncs its own files. */
  private static void requireWhole(DatasetStore store, String when) {
    for (DatasetRecord held : store.list()) {
      int id = held.descriptor().id();
      assertThat(held).as(when).isEqualTo(DatasetStoreTest.dataset(id, 1, store.cache(id)));
      assertThat(redundancy(store, id)).as(when).hasSize(parity(id).length);
    }
    assertThat(store.find(KEPT)).as(when).isPresent();
    assertThat(store.find(OLD).or(() -> store.find(NEW))).as(when).isPresent();
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void aLossOfPowerAtAnyOperationLeavesEachDatasetHeldWithItsRedundancyOrNotHeld(Kept kept) throws IOException {
    int operations = Scene.operations();
    for (int at = 1; at <= operations; at++) {
      for (int seed = 0; seed < (kept == Kept.SOME ? SEEDS : 1); seed++) {
        Scene scene = new Scene();
        int operation = at;
        assertThatThrownBy(() -> scene.work(Trouble.powerLossAt(operation))).isInstanceOf(PowerLoss.class);
        String when = kept + ", seed " + (SEED + seed) + ", operation " + at + ": " + scene.disk.operations().getLast();
        try (scene.disk; FaultyDisk after = scene.disk.afterPowerLoss(kept, new Random(SEED + seed))) {
          DatasetStore found = DatasetStore.open(Scene.directories(after));
          requireWhole(found, when);
          found.emptyTrash();
          assertThat(Files.exists(found.directory(NEW))).as("no garbage, " + when)
              .isEqualTo(found.find(NEW).isPresent());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void whatWasSavedOutlivesALossOfPowerAndWhatWasEvictedDoesNotComeBack(Kept kept) throws IOException {
    Scene scene = new Scene();
    scene.work(Trouble.NONE);
    try (scene.disk; FaultyDisk after = scene.disk.afterPowerLoss(kept, new Random(SEED))) {
      DatasetStore found = DatasetStore.open(Scene.directories(after));
      requireWhole(found, kept.toString());
      assertThat(found.find(NEW)).isPresent();
      assertThat(found.find(OLD)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Input/output error", "No space left on device"})
  void anOperationThatFailsIsNamedAndNothingThatIsHeldSuffers(String reason) throws IOException {
    int operations = Scene.operations();
    for (int at = 1; at <= operations; at++) {
      Scene scene = new Scene();
      String when = "operation " + at;
      try (scene.disk) {
        try {
          scene.work(Trouble.failureAt(at, reason));
        } catch (ScrException e) {
          when += ", " + e;
          assertThat(e.fault()).as(when).isIn(Fault.IO, Fault.NO_SPACE);
          assertThat(e.getMessage()).as(when).contains(reason);
        } catch (UncheckedIOException e) {
          when += ", of the test itself";
        }
        scene.disk.trouble(Trouble.NONE);
        requireWhole(scene.store, when);
        requireWhole(DatasetStore.open(scene.directories), "opened again, " + when);
      }
    }
  }

  /** What is on the disk and cannot be seen for a moment is not gone. */
  @Test
  void aLookThatFailsWhileTheNodeStartsTakesNothing() throws IOException {
    int looks = opened(new Scene(), Integer.MAX_VALUE);
    assertThat(looks).isPositive();
    for (int at = 1; at <= looks; at++) {
      Scene scene = new Scene();
      String when = "look " + at;
      try (scene.disk) {
        try {
          opened(scene, at);
        } catch (ScrException e) {
          assertThat(e.fault()).as(when).isEqualTo(Fault.IO);
        }
        requireWhole(DatasetStore.open(scene.directories), "opened again, " + when);
      }
    }
  }

  @Test
  void aLookThatFailsDoesNotGiveNewRedundancyThePlaceOfWhatIsThere() throws IOException {
    Scene scene = new Scene();
    try (scene.disk) {
      scene.disk.looks(FaultyDisk.Look.failsOnce(path -> path.endsWith(".scr")));
      assertThatThrownBy(() -> scene.store.createGeneration(KEPT)).isInstanceOf(ScrException.class);
      assertThat(scene.store.createGeneration(KEPT)).isEqualTo(2);
    }
  }

  /** @param failing the look that fails @return how many there were */
  private static int opened(Scene scene, int failing) {
    int[] looks = {0};
    scene.disk.looks(_ -> {
      if (++looks[0] == failing) {
        throw new IOException("Input/output error");
      }
    });
    try {
      DatasetStore.open(scene.directories);
    } finally {
      scene.disk.looks(_ -> {});
    }
    return looks[0];
  }

  @Test
  @Timeout(value = 20, threadMode = ThreadMode.SEPARATE_THREAD)
  void aRegistrationWaitsForNoSyncOfAnotherDataset() throws IOException {
    Scene scene = new Scene();
    List<String> during = new ArrayList<>();
    try (scene.disk) {
      scene.work((_, what) -> {
        if (what.startsWith("sync ")) {
          // The sync goes on when another thread has done this: where that one waits for it, there is a deadlock.
          Thread loop = Thread.ofPlatform().daemon().start(() -> {
            scene.store.register(7, new RankFiles(0, List.of()));
            scene.store.forget(7);
            during.add(what);
          });
          join(loop);
        }
      });
    }
    assertThat(during).as("syncs of save and evict").hasSizeGreaterThanOrEqualTo(4)
        .anyMatch(what -> what.contains("dataset." + NEW)).anyMatch(what -> what.endsWith("/control"));
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError("the registration waits for the sync", e);
    }
  }

  @ParameterizedTest
  @EnumSource(Kept.class)
  void aSyncThatHasFailedIsRememberedUntilItsDatasetIsEvicted(Kept kept) throws IOException {
    Scene scene = new Scene();
    failSync(scene, List.of());
    try (scene.disk; FaultyDisk after = scene.disk.afterPowerLoss(kept, new Random(SEED))) {
      DatasetStore found = DatasetStore.open(Scene.directories(after));
      assertThat(found.hasLostWrites(KEPT)).isFalse();
      found.sync(KEPT, List.of());
      assertThat(found.hasLostWrites(OLD)).isTrue();
      assertThatThrownBy(() -> found.sync(OLD, List.of())).hasMessageContaining("an earlier sync has failed");
      found.save(DatasetStoreTest.dataset(OLD, 1, found.cache(OLD)));
      assertThat(found.hasLostWrites(OLD)).as("whatever else is noted of it").isTrue();
      found.evict(OLD);
      assertThat(found.hasLostWrites(OLD)).isFalse();
      NodeDirectories directories = found.directories();
      assertThat(Trees.list(directories.control())).containsExactly(directories.filemap(KEPT));
    }
  }

  @Test
  void whereThatCannotBeNotedTheDaemonRemembersIt() throws IOException {
    Scene scene = new Scene();
    try (scene.disk) {
      failSync(scene, List.of("open "));
      assertThatThrownBy(() -> scene.store.sync(OLD, List.of())).hasMessageContaining("an earlier sync has failed");
      requireWhole(DatasetStore.open(scene.directories), "opened again");
    }
  }

  /** The daemon may die between the eviction of a dataset and that of the mark. */
  @Test
  void aFailedSyncOfADatasetThatIsGoneIsNotThatOfALaterOne() throws IOException {
    Scene scene = new Scene();
    try (scene.disk) {
      failSync(scene, List.of());
      Files.delete(scene.directories.filemap(OLD));
      assertThat(DatasetStore.open(scene.directories).hasLostWrites(OLD)).isFalse();
      assertThat(Trees.list(scene.directories.control())).containsExactly(scene.directories.filemap(KEPT));
    }
  }

  /** Each step of it fails in turn; what was not forgotten is held, and goes the same way. */
  @ParameterizedTest
  @EnumSource(NextTry.class)
  void anEvictionThatHasBegunGoesOnAtTheNextTryInItsOwnStore(NextTry next) throws IOException {
    int at = 1;
    while (evictedAtTheNextTry(next, at)) {
      at++;
    }
    assertThat(at).as("operations").isGreaterThan(5);
  }

  /** What an eviction that has failed goes on with. */
  private enum NextTry {
    CHOSEN, ID, LEFTOVERS, SAME_ID, TRASH
  }

  /** @param at the operation of the eviction that fails @return whether one has */
  private static boolean evictedAtTheNextTry(NextTry next, int at) throws IOException {
    Scene scene = new Scene();
    try (scene.disk) {
      DatasetStore store = scene.store;
      String other = scene.disk.directory("/other").toString();
      store.use(other);
      store.place(NEW, other);
      scene.save(NEW);
      Path directory = store.directory(NEW);
      failSync(scene, NEW, List.of());
      List<DatasetKey> told = new ArrayList<>();
      store.whenEvicted(told::add);
      DatasetRecord chosen = store.find(NEW).orElseThrow();
      int[] operations = {0};
      scene.disk.trouble((_, what) -> {
        if (++operations[0] == at) {
          throw new IOException("Input/output error at " + what);
        }
      });
      String when = next + ", operation " + at;
      try {
        assertThat(store.evict(chosen)).as(when).isTrue();
      } catch (ScrException e) {
        when += ": " + e.getMessage();
      }
      scene.disk.trouble(Trouble.NONE);
      boolean held = store.find(NEW).isPresent();
      if (!held || next == NextTry.CHOSEN || next == NextTry.ID) {
        goOn(store, next, chosen, held || told.isEmpty(), when);
        assertThat(store.find(NEW)).as(when).isEmpty();
        assertThat(directory).as(when).doesNotExist();
        assertThat(store.hasLostWrites(NEW)).as(when).isFalse();
        assertThat(told).as(when).containsExactly(chosen.key());
      }
      requireWhole(store, when);
      return operations[0] >= at;
    }
  }

  private static void goOn(DatasetStore store, NextTry next, DatasetRecord chosen, boolean here, String when)
      throws IOException {
    switch (next) {
      case CHOSEN -> assertThat(store.evict(chosen)).as(when).isEqualTo(here);
      case ID -> store.evict(NEW);
      case LEFTOVERS -> store.discardLeftovers(NEW);
      case SAME_ID -> {
        store.place(NEW, chosen.cache().base());
        Path file = store.createDirectory(NEW, 1).resolve("a");
        Files.write(file, new byte[1]);
        assertThat(Trees.list(store.directory(NEW))).as(when).containsExactly(file.getParent());
        assertThat(store.evict(chosen)).as(when).isFalse();
        assertThat(file).as(when).exists();
        store.evict(NEW);
      }
      case TRASH -> store.emptyTrash();
      default -> throw new AssertionError(next);
    }
  }

  /** @param noting what begins with this and is of the mark fails as well */
  private static void failSync(Scene scene, List<String> noting) {
    failSync(scene, OLD, noting);
  }

  private static void failSync(Scene scene, int id, List<String> noting) {
    scene.disk.trouble((_, what) -> {
      if (what.startsWith("sync ") && what.endsWith("/scr.dataset." + id)
          || noting.stream().anyMatch(what::startsWith) && what.contains(".lostwrites")) {
        throw new IOException("Input/output error");
      }
    });
    assertThatThrownBy(() -> scene.store.sync(id, List.of())).hasMessageContaining("Input/output error");
    scene.disk.trouble(Trouble.NONE);
  }

  @Test
  void aDatasetThatIsHeldIsNotRegisteredAgain() throws IOException {
    Scene scene = new Scene();
    try (scene.disk) {
      scene.store.register(NEW, new RankFiles(0, List.of()));
      assertThat(scene.store.files(NEW, 0)).isPresent();
      scene.save(NEW);
      assertThatThrownBy(() -> scene.store.register(NEW, new RankFiles(0, List.of())))
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.WRONG_STATE));
    }
  }
}
