package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.TestCaches;
import io.vertxscr.scavenge.Workers;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a command that lists many datasets lets others have the lock of the index between. Method: a simulated file
 * system counts a command's operations under one hold of a lock.
 */
@Timeout(120)
class LockedCommandsTest {
  /** A command. What it does without a lock ends a hold. */
  private static final class Counting extends PrefixProcess {
    private final SimulatedDisk shared;
    private final Set<Integer> mapsOfHold = new HashSet<>();
    private int operationsOfHold;
    private int mostMaps;
    private int mostOperations;

    Counting(SimulatedDisk shared) {
      super("scr", shared);
      this.shared = shared;
    }

    @Override
    public void before(Operation operation, boolean onShared, Path path) {
      count(path);
    }

    @Override
    public void looks(Path path) {
      count(path);
    }

    private void count(Path path) {
      if (shared == null || shared.locks("scr") == 0) {
        mapsOfHold.clear();
        operationsOfHold = 0;
        return;
      }
      mostOperations = Math.max(mostOperations, ++operationsOfHold);
      if (path.getFileName().toString().startsWith("rank2file")) {
        StreamSupport.stream(path.spliterator(), false).map(PrefixPaths::datasetOf).flatMapToInt(OptionalInt::stream)
            .forEach(mapsOfHold::add);
      }
      mostMaps = Math.max(mostMaps, mapsOfHold.size());
    }
  }

  private static Counting builds(int datasets) {
    SimulatedDisk shared = new SimulatedDisk(new AtomicLong()::incrementAndGet);
    PrefixProcess daemon = new PrefixProcess("n1", shared);
    TestCaches caches = new TestCaches(daemon.root, Scheme.SINGLE, 4, 1, 20);
    int[] ids = IntStream.rangeClosed(1, datasets).toArray();
    for (int id : ids) {
      caches.dataset(id, "b." + id);
      caches.copy(id);
      daemon.publisher.add(id, false);
    }
    daemon.index.update(_ -> Index.EMPTY);
    Counting operator = new Counting(shared);
    operator.publisher.build();
    Index listed = daemon.index.read().index();
    assertThat(listed.candidates()).hasSize(datasets);
    assertThat(listed.current()).hasValue("b." + datasets);
    return operator;
  }

  @Test
  void aBuildHoldsTheLockForOneDatasetAtATime() {
    Workers.alone(() -> {
      Counting few = builds(4);
      Counting many = builds(24);
      assertThat(many.mostMaps).as("datasets whose maps are read under one hold").isEqualTo(1);
      assertThat(many.mostOperations).as("operations under one hold, of which one for each summary")
          .isLessThanOrEqualTo(few.mostOperations + (24 - 4));
    });
  }
}
