package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Scr;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a wrong or non-writable prefix directory is reported at init, not after days. Method: runs with names that are
 * wrong in the ways that people get them wrong.
 */
class PrefixAtInitTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), NODES);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Returns the messages to each rank of a run in this prefix directory. */
  private List<List<String>> told(Path prefix) throws Exception {
    return EmbeddedRun.all(new EmbeddedRun(cluster.nodes(), prefix, List.of(NODES)).start(scr -> {
      RankProgram.restart(scr, 3);
      scr.finish();
      return scr.remarks();
    }));
  }

  private void assertRefused(Path prefix, String... words) throws Exception {
    for (var rank : new EmbeddedRun(cluster.nodes(), prefix, List.of(NODES)).start(Scr::node)) {
      assertThat(EmbeddedRun.failure(rank)).hasMessageContainingAll(prefix.toString(), "Set SCR_PREFIX")
          .hasMessageContainingAll(words)
          .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.IO));
    }
  }

  @Test
  void aDirectoryThatIsNotThereIsMadeAndRankZeroIsToldWhichOneMayHaveBeenMeant() throws Exception {
    assertThat(told(cluster.prefix())).as("a good one").allMatch(List::isEmpty);
    Files.writeString(cluster.prefix().resolve(".scr/index.scr"), "");
    for (String misspelt : List.of("perfix", "perfix", "elsewhere", "prefix/more")) {
      Path prefix = directory.resolve(misspelt);
      boolean isNew = !Files.exists(prefix);
      String meant = misspelt.equals("perfix") ? cluster.prefix() + " beside it has datasets"
          : misspelt.equals("elsewhere") ? "" : cluster.prefix() + " above it has datasets";
      List<List<String>> told = told(prefix);
      assertThat(told.get(1)).isEmpty();
      if (isNew) {
        assertThat(told.getFirst()).singleElement().asString().startsWith(
            "prefix directory " + prefix + " was not there and has been made: it has nothing to restart from").endsWith(
                meant);
      } else {
        assertThat(told.getFirst()).isEmpty();
      }
      assertThat(prefix).isDirectory();
    }
  }

  @Test
  void whereNothingCanBeWrittenNoRunBegins() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertRefused(file, "is no directory");
    assertRefused(Path.of("/proc/scr-x"), "is not there, and cannot be made");
    assertRefused(directory.resolve("not/mounted"), "nor is " + directory.resolve("not"),
        "is its file system mounted?");
    assertThat(directory.resolve("not")).doesNotExist();
    assertThat(told(cluster.prefix())).as("and the next one does").allMatch(List::isEmpty);
  }

  /** The work of days is worth more than the order of the directories. */
  @Test
  void whereTheCachesHaveACheckpointTheRunBeginsWithItAndIsToldWhatIsInTheWay() throws Exception {
    cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
      RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
      return 0;
    }), NODES);
    Files.move(cluster.prefix(), directory.resolve("away"));
    assertThat(cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
      assertThat(RankProgram.restart(scr, 3)).isEqualTo(1);
      return scr.remarks();
    }), NODES).getFirst()).singleElement().asString()
        .contains("the prefix directory " + cluster.prefix() + " is not there: nothing is brought there until");
    assertThat(cluster.prefix()).as("made, where it may have to be mounted").doesNotExist();
  }

  /** Only the cached datasets know of the file system: all daemons have been restarted. */
  @Test
  void anEmptyMountPointIsRefusedIfCachedCheckpointsBelongToIt() throws Exception {
    cluster.all(EmbeddedRun.withoutFinalize(NODES.length, scr -> {
      RankProgram.checkpoint(scr, cluster.prefix(), 1, 3);
      return 0;
    }), NODES);
    cluster.awaitOver(NODES);
    for (String node : NODES) {
      cluster.nodes().kill(node);
    }
    Path away = directory.resolve("away");
    Files.move(cluster.prefix(), away);
    Files.createDirectory(cluster.prefix());
    for (String node : NODES) {
      cluster.nodes().start(node);
    }
    for (var rank : new EmbeddedRun(cluster.nodes(), cluster.prefix(), List.of(NODES)).start(Scr::node)) {
      assertThat(EmbeddedRun.failure(rank)).hasMessageContainingAll(cluster.prefix().toString(),
          "is its file system mounted?", ".scr");
    }
    assertThat(cluster.prefix()).isEmptyDirectory();
    Files.delete(cluster.prefix());
    Files.move(away, cluster.prefix());
    assertThat(cluster.restart(NODES)).isOne();
  }
}
