package io.vertxscr.cli;

import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.IndexFile;
import io.vertxscr.model.FailureHistory.Level;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.node.SampleCaches;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.Samples;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventJson;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: scripts find in the JSON of each command the fields of docs/json.md, and no others. {@code StatusJsonTest} has
 * the status. Method: commands on prepared directories.
 */
class JsonPageTest {
  @TempDir
  private Path directory;

  private static Map<String, Object> json(Object... command) {
    CliRun ran = CliRun.of(Map.of(), command);
    Map<String, Object> all = new JsonObject(ran.out()).getMap();
    assertThat(all).containsEntry("version", 1);
    return all;
  }

  @Test
  void index() throws IOException {
    Samples samples = new Samples(directory);
    Files.createDirectories(samples.paths.index().getParent());
    Files.write(samples.paths.index(), IndexFile.encode(Index.EMPTY
        .enlist(List.of(descriptor(1, "a"), descriptor(2, "b"), descriptor(3, "c")), Samples.TIME)
        .setCurrent("a").markFetched(1, Samples.TIME).markFailed(2, Samples.TIME).markReplaced(Set.of(3), 1)));
    JsonPage page = new JsonPage("scr index --list");
    assertThat(page.check(json("index", "--list", "--json", "--prefix", samples.prefix))).isEqualTo(page.all());
  }

  @Test
  void inspectAndExplain() throws IOException {
    var caches = new SampleCaches(directory, 1 << 20);
    caches.checkpoint(1, "one");
    Object[] place = {"--control", caches.control(), "--json"};
    Object[] explain = {"explain", "--prefix", caches.prefix(), "--control", caches.control(), "--json", "one"};
    JsonPage inspected = new JsonPage("scr inspect");
    JsonPage explained = new JsonPage("scr explain");
    Set<String> seen = new TreeSet<>(inspected.check(json("inspect", place[0], place[1], place[2])));
    Set<String> heard = new TreeSet<>(explained.check(json(explain)));
    Trees.delete(caches.control().resolve(SampleCaches.node(1)));
    try (var files = Files.walk(directory.resolve("cache").resolve(SampleCaches.node(2)))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    seen.addAll(inspected.check(json("inspect", place[0], place[1], place[2])));
    heard.addAll(explained.check(json(explain)));
    assertThat(seen).isEqualTo(inspected.all());
    assertThat(heard).isEqualTo(explained.all());
  }

  @Test
  void interval() throws IOException {
    var paths = new PrefixPaths(directory);
    JsonPage page = new JsonPage("scr explain interval");
    page.check(json("explain", "--prefix", directory, "interval", "--json"));
    Files.createDirectories(directory.resolve(".scr"));
    FailureHistory history = FailureHistory.EMPTY.computed(3_600_000_000L);
    for (Level level : Level.values()) {
      history = history.failed(level).costing(level, 2_000_000);
    }
    new FailuresFileStore(paths, PatientLocks.user("test")).add(history);
    assertThat(page.check(json("explain", "--prefix", directory, "interval", "--json"))).isEqualTo(page.all());
  }

  @Test
  void halt() throws IOException {
    JsonPage page = new JsonPage("scr halt");
    Set<String> found = new TreeSet<>(page.check(json("halt", "--json", "--list", directory)));
    assertThat(json("halt", "--json", "--list", directory).get("prefixes").toString()).contains("halts=false");
    found.addAll(page.check(json("halt", "--json", "--checkpoints", "3", "--before", "+1h", "--after", "+10m",
        "--seconds", "60", "--immediate", directory)));
    Map<String, Object> removed = json("halt", "--json", "--remove", directory);
    found.addAll(page.check(removed));
    assertThat(removed.get("prefixes").toString()).contains("halts=false", "checkpointsLeft=3");
    found.removeIf(field -> field.startsWith("prefixes[].before."));
    found.add("prefixes[].before");
    assertThat(found).isEqualTo(page.all());
  }

  @Test
  void everyEventHasTheFieldsThatAllHave() throws IOException {
    JsonPage page = new JsonPage("scr events");
    JsonObject event = JsonVersion.of(EventJson.of(new Event.FlushStarted(3), "n1", 1));
    assertThat(page.check(event.getMap())).isEqualTo(page.all());
  }

  @Test
  void everySectionIsOfACommandThatHasTheOption() throws IOException {
    String text = Files.readString(Path.of("docs/json.md"));
    Map<String, Integer> sections = new HashMap<>();
    text.lines().filter(line -> line.startsWith("## scr ")).forEach(line -> sections.merge(line.split(" ")[2], 1,
        Integer::sum));
    assertThat(sections).containsOnlyKeys(
        "status", "index", "inspect", "explain", "halt", "events", "drain", "scrub", "drill");
    assertThat(sections.keySet()).allSatisfy(command ->
        assertThat(CliRun.of(Map.of(), "help", command).out()).contains("--json"));
  }
}
