package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.scavenge.IndexEditor;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.simulation.VirtualCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: restarts begin with the checkpoint that was named. Method: nodes in virtual time; the index has an older one of
 * its name, and it is in the caches alone.
 */
@Timeout(120)
class CurrentByNameTest {
  private static final String[] NODES = {"n1", "n2", "n3"};

  @TempDir
  Path directory;

  @Test
  void anOlderOneOfTheNameInTheIndexIsNotMeant() throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "2", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 3)).isZero();
    cluster.launch();
    run.all(session -> run.restart(session).compose(_ -> run.checkpoint(session, 4))
        .compose(_ -> session.current("step-3")).compose(_ -> session.finish()));
    cluster.launch();
    run.all(session -> run.restart(session).compose(step -> {
      assertThat(step).isEqualTo(3);
      return run.checkpoints(session, 4, 5);
    }).compose(_ -> session.current("step-4")).compose(_ -> session.finish()));
    cluster.launch();
    assertThat(run.steps(6, 6)).isEqualTo(4);
  }

  /** An operator makes sure by dropping what restarts are to pass over, in either order of the two commands. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsDroppedThatItPassesOverDoesNotComeBackFromTheCaches(boolean droppedFirst) throws Exception {
    VirtualCluster cluster = VirtualClusters.in(new Random(Long.getLong("seed", 1)), directory.resolve("walk"),
        Map.of("SCR_COPY_TYPE", "XOR", "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0", "SCR_CACHE_SIZE", "2"));
    cluster.start(NODES);
    VirtualRun run = new VirtualRun(cluster, NODES);
    assertThat(run.steps(1, 3)).isZero();
    PrefixPaths paths = new PrefixPaths(cluster.prefix());
    LockUser user = PatientLocks.user("test", Duration.ofSeconds(5));
    IndexEditor editor = new IndexEditor(paths, new PrefixIndex(paths, user), new RestartFileStore(paths, user));
    if (droppedFirst) {
      editor.drop("step-3");
    }
    editor.setCurrent("step-1");
    if (!droppedFirst) {
      editor.drop("step-3");
    }
    cluster.launch();
    assertThat(run.steps(4, 4)).isEqualTo(1);
  }
}
