package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.model.Scheme;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.RankMapReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Goal: no file of a dataset is dropped or written over, however many there are and whatever they are called. */
class ManyFilesTest extends EmbeddedTest {
  private static final String[] NODES = {"n1", "n2"};

  private TestCluster cluster() throws IOException {
    return new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR).flushing(1, false), NODES);
  }

  private interface Names {
    String name(int rank, int file);
  }

  private void comesThrough(int files, Names names) throws Exception {
    try (TestCluster cluster = cluster()) {
      cluster.all(scr -> {
        try (Output output = scr.startCheckpoint("many")) {
          for (int file = 0; file < files; file++) {
            Path path = output.route(cluster.prefix() + "/" + names.name(scr.rank(), file));
            Files.writeString(path, scr.rank() + "." + file);
          }
          output.complete(true);
        }
        scr.finish();
        return 0;
      }, NODES);
      assertThat(new RankMapReader(new PrefixPaths(cluster.prefix()), 1).totals().files()).isEqualTo(2L * files);
      readBack(cluster, files, names);
      cluster.lose("n2");                                 // rebuilt
      cluster.nodes().start("n2");
      readBack(cluster, files, names);
      cluster.deleteAllStorage(NODES);                    // fetched
      readBack(cluster, files, names);
    }
  }

  private static void readBack(TestCluster cluster, int files, Names names) throws Exception {
    cluster.all(scr -> {
      read(scr, cluster, files, names);
      scr.finish();
      return 0;
    }, NODES);
  }

  private static void read(Scr scr, TestCluster cluster, int files, Names names) throws IOException {
    try (Restart restart = scr.restart().orElseThrow()) {
      for (int file = 0; file < files; file++) {
        assertThat(restart.route(cluster.prefix() + "/" + names.name(scr.rank(), file)))
            .hasContent(scr.rank() + "." + file);
      }
      restart.complete(true);
    }
  }

  /** Reproduced on the real thing, number 1: more than 1,024 files in all. */
  @Test
  void aDatasetOfMoreThan1024FilesComesThroughWhole() throws Exception {
    comesThrough(514, (rank, file) -> "many/rank-" + rank + "/" + file);
  }

  /** Reproduced on the real thing, number 2: the same base name in several directories, of one rank and of a node. */
  @Test
  void filesOfOneBaseNameInSeveralDirectoriesStayApart() throws Exception {
    comesThrough(9, (rank, file) -> "d" + rank + "/" + file % 3 + "/" + file / 3 + "/state");
  }
}
