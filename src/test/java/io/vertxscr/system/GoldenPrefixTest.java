package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.CliRun;
import io.vertxscr.client.Restart;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.Scheme;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: prefix directories go back and forth between SCR 3.1 and us. Method: src/test/resources/golden has one of each
 * layout; ours is still written byte by byte, and with each a run goes on.
 */
class GoldenPrefixTest extends EmbeddedTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");
  private static final String[] NODES = {"n1", "n2"};

  private static Map<String, String> tree(Path directory) throws IOException {
    Map<String, String> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        tree.put(directory.relativize(path).toString(), bytes(path));
      }
    }
    return tree;
  }

  private static String bytes(Path file) throws IOException {
    return HexFormat.of().formatHex(Files.readAllBytes(file));
  }

  @Test
  void whatIsWrittenIsByteForByteWhatWasPromised() throws IOException {
    GoldenPrefixes.ours(directory.resolve("ours"));
    GoldenPrefixes.scr31(directory.resolve("scr31"));
    for (String layout : List.of("ours", "scr31")) {
      assertThat(tree(directory.resolve(layout))).as(layout).isNotEmpty().isEqualTo(tree(GOLDEN.resolve(layout)));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.sorted(Comparator.naturalOrder()).toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    }
  }

  private CliRun index(String... arguments) {
    return CliRun.of(Map.of("SCR_PREFIX", directory.resolve("prefix").toString()),
        Stream.concat(Stream.of("index"), Stream.of(arguments)).toArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ours", "scr31"})
  void aRunGoesOnInADirectoryOfEachLayout(String layout) throws Exception {
    TestCluster.Setup setup = TestCluster.Setup.of(Scheme.XOR).flushing(1, false);
    try (TestCluster cluster = new TestCluster(vertx, directory, setup, NODES)) {
      copy(GOLDEN.resolve(layout), cluster.prefix());
      Map<String, String> before = tree(cluster.prefix());
      assertThat(index("--list").out().lines().map(String::strip)).hasSize(3).last().asString()
          .matches("2 +ckpt +yes +2026-11-20T1[23]:58:50 +53 B +2 +\\* +step-2");
      assertThat(index("--verify", "step-2")).returns(0, CliRun::exit).extracting(CliRun::out).asString()
          .contains(layout.equals("ours") ? "good, 2 files"
              : "1 file without a checksum, not compared, such as step-2/rank-1");
      assertThat(cluster.all(scr -> {
        try (Restart restart = scr.restart().orElseThrow()) {
          assertThat(restart.route("rank-" + scr.rank())).hasBinaryContent(GoldenPrefixes.bytes(2, scr.rank()));
          restart.complete(true);
          RankProgram.checkpoint(scr, cluster.prefix(), 3, 3);
          scr.finish();
          return restart.name();
        }
      }, NODES)).containsOnly("step-2");
      assertThat(cluster.index().entries()).extracting(Index.Entry::id).containsExactly(1, 2, 3);
      assertThat(cluster.index().find(2).orElseThrow().fetched()).hasSize(1);
      assertThat(cluster.index().current()).hasValue("step-3");
      before.keySet().removeIf(path -> path.matches(".scr/(index|flush|nodes).scr"));
      for (Map.Entry<String, String> file : before.entrySet()) {   // no more: the leader still writes files of its own
        assertThat(bytes(cluster.prefix().resolve(file.getKey()))).as(file.getKey()).isEqualTo(file.getValue());
      }
      cluster.deleteAllStorage(NODES);
      assertThat(cluster.restart(NODES)).isEqualTo(3);
      assertThat(index("--verify").exit()).isZero();
    }
  }
}
