package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.model.Scheme;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: datasets and runs of any shape are protected, rebuilt and evicted as configured. */
class ShapesTest extends EmbeddedTest {
  /** Sizes in bytes of the files of one rank, by rank. */
  record Shape(String name, int[]... ofRank) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Arguments> shapes() {
    int[] many = new int[2_000];
    for (int file = 0; file < many.length; file++) {
      many[file] = file % 7;
    }
    List<Shape> shapes = List.of(
        new Shape("no files at all", new int[0], new int[0], new int[0], new int[0], new int[0], new int[0]),
        new Shape("empty files", new int[] {0}, new int[] {0, 0}, new int[0], new int[] {0}, new int[] {0}, new int[0]),
        new Shape("one rank writes", new int[0], new int[0], new int[] {4_099}, new int[0], new int[0], new int[0]),
        new Shape("odd sizes", new int[] {1}, new int[] {2, 0, 3}, new int[] {65_537}, new int[] {999_983},
            new int[] {8_191, 1, 0}, new int[] {17}),
        new Shape("many files", many, new int[] {5}, new int[] {7}, new int[0], new int[] {1}, new int[] {3}));
    return shapes.stream().flatMap(shape ->
        Stream.of(Scheme.XOR, Scheme.PARTNER).map(scheme -> Arguments.of(shape, scheme)));
  }

  private static byte[] bytes(int rank, int file, int size) {
    byte[] bytes = new byte[size];
    new Random(rank * 10_007L + file).nextBytes(bytes);
    return bytes;
  }

  private static void write(Scr scr, Path prefix, Shape shape) throws IOException {
    int[] sizes = shape.ofRank()[scr.rank()];
    try (Output output = scr.startCheckpoint("shape")) {
      for (int file = 0; file < sizes.length; file++) {
        Files.write(output.route(prefix + "/r" + scr.rank() + "-" + file), bytes(scr.rank(), file, sizes[file]));
      }
      output.complete(true);
    }
  }

  private static int read(Scr scr, Shape shape) throws IOException {
    int[] sizes = shape.ofRank()[scr.rank()];
    try (Restart restart = scr.restart().orElseThrow()) {
      for (int file = 0; file < sizes.length; file++) {
        assertThat(Files.readAllBytes(restart.route("r" + scr.rank() + "-" + file)))
            .isEqualTo(bytes(scr.rank(), file, sizes[file]));
      }
      restart.complete(true);
    }
    return sizes.length;
  }

  @ParameterizedTest(name = "{0}, {1}")
  @MethodSource("shapes")
  void anyShapeSurvivesTheLossOfANodeWithRanksUnevenlyPlaced(Shape shape, Scheme scheme) throws Exception {
    String[] ranks = {"n1", "n2", "n2", "n2", "n3", "n3"};
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(scheme), "n1", "n2", "n3")) {
      cluster.all(scr -> {
        write(scr, cluster.prefix(), shape);
        scr.finish();
        return 0;
      }, ranks);
      cluster.lose("n3");
      cluster.nodes().start("n4");
      String[] next = {"n1", "n2", "n2", "n2", "n4", "n4"};
      List<Integer> files = cluster.all(scr -> {
        int read = read(scr, shape);
        scr.finish();
        return read;
      }, next);
      assertThat(files).hasSize(6);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Scheme.class, names = {"SINGLE", "PARTNER", "XOR"})
  void oneNodeAloneCheckpointsAndSaysThatNothingProtectsIt(Scheme scheme) throws Exception {
    try (TestCluster cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(scheme), "n1")) {
      cluster.steps(1, 2, "n1", "n1", "n1");
      assertThat(cluster.protection("n1")).startsWith("none");
      assertThat(cluster.restart("n1", "n1", "n1")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Scheme.class, names = {"PARTNER", "XOR"})
  void theCacheKeepsAsManyCheckpointsAsItShouldAndRecycledRedundancyIsRight(Scheme scheme) throws Exception {
    for (int cached : List.of(1, 2)) {
      Path place = Files.createDirectories(directory.resolve("cached-" + cached));
      String[] nodes = {"n1", "n2", "n3"};
      try (TestCluster cluster = new TestCluster(
          vertx, place, TestCluster.Setup.of(scheme).cached(cached), nodes)) {
        cluster.steps(1, 5, nodes);
        for (String node : nodes) {
          List<Integer> kept = cached == 1 ? List.of(5) : List.of(4, 5);
          Eventually.holds("eviction down to " + kept, () -> cluster.held(node).equals(kept));
          Eventually.holds("files of evicted datasets to go", () -> !Files.exists(cluster.datasetDirectory(node, 3)));
        }
        cluster.lose("n2");
        cluster.nodes().start("n2");
        assertThat(cluster.restart(nodes)).isEqualTo(5);
      }
    }
  }

  @Test
  void whatALostRunWasWritingLeavesTheCacheWhenTheNextBegins() throws Exception {
    try (TestCluster cluster =
        new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n1", "n2")) {
      cluster.steps(1, 1, "n1", "n2");
      CyclicBarrier written = new CyclicBarrier(2);       // a rank that ends takes the run from the other
      EmbeddedRun.all(cluster.run("n1", "n2").start(scr -> {
        Files.write(scr.startCheckpoint("unfinished").route(cluster.prefix() + "/f"), new byte[10]);
        written.await(EmbeddedRun.PATIENCE_S, TimeUnit.SECONDS);
        return 0;
      }));
      assertThat(cluster.restart("n1", "n2")).isEqualTo(1);
      for (String node : List.of("n1", "n2")) {
        Eventually.holds("the unfinished dataset to go", () -> !Files.exists(cluster.datasetDirectory(node, 2)));
      }
    }
  }
}
