package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.ScrException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the final field equals that of a plain loop, for any split, interruption and restart. */
class HeatRankTest {
  private static final HeatProblem PROBLEM = new HeatProblem(33, 12, 3);

  @TempDir private Path directory;
  private Ranks ranks;

  @BeforeEach
  void makeRanks() {
    ranks = new Ranks(directory);
  }

  @Test
  void theFieldIsTheSameForEveryNumberOfRanks() throws Exception {
    String expected = plainLoop(PROBLEM);
    for (int count : List.of(1, 2, 3, 4, 5, 7, 8, 16, 33)) {
      assertThat(ranks.digest(PROBLEM.withoutCheckpoints(), count, _ -> Checkpointing.none()))
          .as("%d ranks", count).isEqualTo(expected);
    }
  }

  @Test
  void aRunResumedFromAnyCheckpointEndsWithTheSameField() throws Exception {
    String expected = plainLoop(PROBLEM);
    for (int forgotten = 0; forgotten <= 4; forgotten++) {
      DirectoryStore store = new DirectoryStore(directory.resolve("store" + forgotten));
      assertThat(ranks.digest(PROBLEM, 4, clients(store, 4))).isEqualTo(expected);
      assertThat(store.complete()).containsExactly("heat.12", "heat.9", "heat.6", "heat.3");
      for (int i = 0; i < forgotten; i++) {
        store.forgetNewest();
      }
      assertThat(ranks.digest(PROBLEM, 4, clients(store, 4))).as("%d forgotten", forgotten).isEqualTo(expected);
    }
  }

  @Test
  void oneBadFileMakesAllRanksTakeTheOlderCheckpoint() throws Exception {
    for (int rank = 0; rank < 4; rank++) {
      DirectoryStore store = new DirectoryStore(directory.resolve("store" + rank));
      String expected = ranks.digest(PROBLEM, 4, clients(store, 4));
      store.forgetNewest();
      Path node = store.node("node" + rank);
      String name = "/rank_" + rank + ".heat";
      // Step 9 has a flipped bit, step 6 is a good file of another step: both are refused, and written again.
      byte[] bytes = Files.readAllBytes(node.resolve("heat.9" + name));
      bytes[100] ^= 4;
      Files.write(node.resolve("heat.9" + name), bytes);
      Files.copy(node.resolve("heat.12" + name), node.resolve("heat.6" + name), StandardCopyOption.REPLACE_EXISTING);
      List<Integer> starts = ranks.starts();
      assertThat(ranks.digest(PROBLEM, 4, clients(store, 4))).isEqualTo(expected);
      assertThat(store.complete()).containsExactly("heat.12", "heat.9", "heat.6", "heat.3");
      assertThat(ranks.starts()).hasSize(starts.size() + 4).endsWith(3, 3, 3, 3);
    }
  }

  @Test
  void theDeathOfAnyRankAtAnyStepEndsAllRanksWithAnErrorAndTheNextRunWithTheSameField() throws Exception {
    HeatProblem problem = new HeatProblem(17, 5, 1);
    String expected = plainLoop(problem);
    for (int victim = 0; victim < 4; victim++) {
      for (int step = 1; step <= problem.steps(); step++) {
        DirectoryStore store = new DirectoryStore(directory.resolve("store" + victim + "_" + step));
        DirectoryStore.Run run = store.new Run(4);
        int dies = victim;
        String when = "heat." + step;
        List<Exception> ends = ranks.run(problem, 4,
            rank -> rank == dies ? mortal(run.client("node" + rank), when) : run.client("node" + rank));
        assertThat(ends).as("rank %d dies at step %d", victim, step).allSatisfy(end -> assertThat(end).isInstanceOfAny(
            NeighbourLostException.class, ScrException.class, InterruptedIOException.class,
            ClosedByInterruptException.class));
        assertThat(store.complete()).hasSize(step - 1);
        assertThat(ranks.digest(problem, 4, clients(store, 4))).isEqualTo(expected);
      }
    }
  }

  @Test
  void aRankWithoutCheckpointsThatDiesIsNamedByItsNeighbours() throws Exception {
    List<Exception> ends = ranks.run(new HeatProblem(9, 5, 1), 3, rank -> new Deaf(rank == 1));
    assertThat(ends.get(0)).isInstanceOf(NeighbourLostException.class).hasMessageContaining("neighbour rank 1");
    assertThat(ends.get(2)).isInstanceOf(NeighbourLostException.class).hasMessageContaining("neighbour rank 1");
  }

  private static IntFunction<Checkpointing> clients(DirectoryStore store, int count) {
    DirectoryStore.Run run = store.new Run(count);
    return rank -> run.client("node" + rank);
  }

  /** The rank is killed when it begins this checkpoint. */
  private static Checkpointing mortal(Checkpointing client, String when) {
    return new Checkpointing() {
      @Override
      public Optional<CheckpointReader> restart() {
        return client.restart();
      }

      @Override
      public CheckpointWriter start(String name) {
        if (name.equals(when)) {
          Thread.currentThread().interrupt();
        }
        return client.start(name);
      }

      @Override
      public void finish() {
        client.finish();
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  /** A checkpoint system that tells nobody of anything; its rank may die in step 2. */
  private record Deaf(boolean dies) implements Checkpointing {
    @Override
    public Optional<CheckpointReader> restart() {
      return Optional.empty();
    }

    @Override
    public CheckpointWriter start(String name) {
      if (dies && name.equals("heat.2")) {
        Thread.currentThread().interrupt();
      }
      return new CheckpointWriter() {
        @Override
        public Path route(String file) {
          return Path.of("/dev/null");
        }

        @Override
        public boolean complete(boolean valid) {
          return false;
        }
      };
    }

    @Override
    public void finish() {}

    @Override
    public void close() {}
  }

  /** Computes the field on one array, without blocks, halos or files. */
  private static String plainLoop(HeatProblem problem) throws Exception {
    int size = problem.size();
    Block whole = new Block(size, new HeatProblem.Rows(0, size));
    Picture.load().fill(whole);
    double[][] now = new double[size][size];
    for (int row = 0; row < size; row++) {
      whole.row(row).get(now[row]);
    }
    for (int step = 0; step < problem.steps(); step++) {
      double[][] next = new double[size][];
      for (int row = 0; row < size; row++) {
        next[row] = now[row].clone();
        for (int i = 1; row > 0 && row < size - 1 && i < size - 1; i++) {
          double around = (now[row - 1][i] + now[row + 1][i]) + (now[row][i - 1] + now[row][i + 1]);
          next[row][i] = now[row][i] + 0.2 * (around - 4 * now[row][i]);
        }
      }
      now = next;
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) problem.bytes());
    for (double[] row : now) {
      for (double cell : row) {
        bytes.putDouble(cell);
      }
    }
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.array()));
  }
}
