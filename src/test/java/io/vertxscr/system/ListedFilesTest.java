package io.vertxscr.system;

import static io.vertxscr.system.RawRank.ok;
import static io.vertxscr.system.RawRank.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client that places its files itself has the same dataset as with route, no more access. Method: one rank
 * without the checks of a client says what it likes.
 */
class ListedFilesTest extends EmbeddedTest {
  private TestCluster cluster;
  private RawRank rank;

  @BeforeEach
  void open() throws Exception {
    cluster = new TestCluster(vertx, directory, TestCluster.Setup.of(Scheme.XOR), "n1");
    begin();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void begin() throws Exception {
    rank = new RawRank(vertx, "n1", 0);
    ok(rank.init(1, cluster.prefix()));
  }

  /** Starts a dataset; returns the rank's directory in the cache. */
  private Path start() throws Exception {
    JsonObject started = ok(rank.call(Verb.START_OUTPUT));
    assertThat(started.getInteger("naming")).isEqualTo(1);
    assertThat(started.containsKey("files")).isFalse();
    return Path.of(started.getString("directory"));
  }

  private static void write(Path directory, String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private JsonObject file(String path, String name) {
    return new JsonObject().put("path", path.startsWith("/") ? path : cluster.prefix() + "/" + path).put("name", name);
  }

  private static JsonObject listing(JsonObject... files) {
    return new JsonObject().put("files", new JsonArray(List.of(files)));
  }

  private List<FileMeta> held(int dataset) {
    return cluster.record("n1", dataset).ranks().getFirst().files().files();
  }

  @Test
  void listedFilesMakeTheSameDatasetAsRoutedOnes() throws Exception {
    Random random = new Random(1);
    List<String> paths = random.ints(200, 0, 12).mapToObj(i -> "d" + random.nextInt(40) + "/" + i).distinct().toList();
    ok(rank.call(Verb.START_OUTPUT));
    for (String path : paths) {
      Files.writeString(Path.of(ok(rank.route(path, cluster.prefix())).getString("file")), path);
    }
    ok(rank.call(Verb.COMPLETE_OUTPUT));
    List<FileMeta> routed = held(1);

    Path own = start();
    JsonArray files = new JsonArray();
    for (FileMeta file : routed) {
      String name = file.name().substring("rank.0/".length());
      write(own, name, file.path());
      files.add(file(file.path(), name));
    }
    ok(rank.call(Verb.COMPLETE_OUTPUT, new JsonObject().put("files", files)));

    assertThat(routed).hasSameSizeAs(paths);
    assertThat(withoutTimes(held(2))).isEqualTo(withoutTimes(routed));
    ok(rank.call(Verb.FINALIZE));
  }

  private static List<FileMeta> withoutTimes(List<FileMeta> files) {
    return files.stream().map(file -> new FileMeta(file.name(), file.path(), file.bytes(), file.crc())).toList();
  }

  @Test
  void aRestartSaysWhichFilesTheRankHas() throws Exception {
    Path own = start();
    write(own, "same", "x");
    write(own, "1/same", "y");
    ok(rank.call(Verb.COMPLETE_OUTPUT, listing(file("x/same", "same"), file("y/../y/./same", "1/same"))));
    ok(rank.call(Verb.FINALIZE));
    begin();
    ok(rank.call(Verb.HAVE_RESTART));
    JsonObject started = ok(rank.call(Verb.START_RESTART));
    assertThat(started.containsKey("naming")).isFalse();
    assertThat(started.getJsonArray("files")).containsExactly(
        new JsonObject().put("path", "x/same").put("name", "same"),
        new JsonObject().put("path", "y/same").put("name", "1/same"));
    assertThat(Path.of(started.getString("directory")).resolve("1/same")).hasContent("y");
    refused(rank.numbered(Verb.COMPLETE_RESTART, 3, listing(file("x/same", "same"))), Fault.BAD_REQUEST, "files");
    ok(rank.call(Verb.COMPLETE_RESTART));
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void aListThatIsNotWhatRouteWouldHaveSaidMakesTheDatasetInvalidAndTheRunGoesOn() throws Exception {
    Files.writeString(cluster.prefix().resolve("there"), "x");
    Files.createSymbolicLink(cluster.prefix().resolve("alias"), Path.of("there"));
    Files.createSymbolicLink(cluster.prefix().resolve("out"), directory);
    Files.writeString(directory.resolve("secret"), "not ours to read");
    List<List<JsonObject>> lists = List.of(
        List.of(file("/etc/passwd", "passwd")), List.of(file("../f", "f")), List.of(file("out/f", "f")),
        List.of(file(".scr/f", "f")), List.of(file("f", "g")), List.of(file("f", "../rank.0/f")),
        List.of(file("secret", "../../../../../../secret")), List.of(file("f", "1/f")), List.of(file("f", "f/")),
        List.of(file("f", "f"), file("f", "f")), List.of(file("f", "f"), file("./f", "1/f")),
        List.of(file("a/f", "f"), file("b/f", "f")), List.of(file("there", "there"), file("alias", "1/there")),
        List.of(file("f", "f"), file("unwritten", "unwritten")));
    int dataset = 0;
    for (List<JsonObject> list : lists) {
      write(start(), "f", "f");
      refused(rank.call(Verb.COMPLETE_OUTPUT, listing(list.toArray(JsonObject[]::new))), Fault.NOT_VALID,
          "rank 0", list.getLast().getString("path").replaceAll(".*/", ""));
      dataset++;
    }
    assertThat(cluster.held("n1")).isEmpty();
    write(start(), "f", "f");
    ok(rank.call(Verb.COMPLETE_OUTPUT, listing(file("f", "f"))));
    assertThat(held(dataset + 1)).singleElement().satisfies(file -> assertThat(file.bytes()).isOne());
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void whyTheNodeHasNotTakenAListIsSaidToAllRanks() throws Exception {
    write(start(), "f", "f");
    refused(rank.call(Verb.COMPLETE_OUTPUT, new JsonObject().put("valid", false).put("trouble", "no memory")),
        Fault.NOT_VALID, "rank 0 on node n1: no memory");
    assertThat(cluster.held("n1")).isEmpty();
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void onePhaseKnowsOneWay() throws Exception {
    write(start(), "f", "f");
    Files.writeString(Path.of(ok(rank.route("g", cluster.prefix())).getString("file")), "g");
    refused(rank.call(Verb.COMPLETE_OUTPUT, listing(file("f", "f"))), Fault.NOT_VALID, "rank 0", "one way");
    ok(rank.call(Verb.FINALIZE));
  }

  @Test
  void aListThatIsNoneIsRefusedByItsFieldAndThePhaseStaysOpen() throws Exception {
    write(start(), "f", "f");
    for (JsonObject bad : List.of(new JsonObject().put("path", "f").put("name", "f"),
        new JsonObject().put("path", "").put("name", "f"), file("f", ""), file("f", "x".repeat(1024)),
        file("f", "f").put("bytes", 1), new JsonObject().put("path", "/f"))) {
      refused(rank.numbered(Verb.COMPLETE_OUTPUT, 2, listing(bad)), Fault.BAD_REQUEST, "field");
    }
    refused(rank.numbered(Verb.COMPLETE_OUTPUT, 2, new JsonObject().put("files", new JsonArray().addNull())),
        Fault.BAD_REQUEST, "CompleteOutputRequest");
    ok(rank.numbered(Verb.COMPLETE_OUTPUT, 2, listing(file("f", "f"))));
    ok(rank.numbered(Verb.FINALIZE, 3, new JsonObject()));
  }
}
