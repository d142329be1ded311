package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.model.DrainState;
import io.vertxscr.protocol.app.DrainReply;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.node.scrub.PublishedView;
import io.vertxscr.protocol.node.scrub.PublishedView.PublishedDataset;
import io.vertxscr.protocol.node.scrub.ScrubView;
import io.vertxscr.protocol.node.scrub.ScrubView.ScrubbedDataset;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: what the scrub has found is readable, for people and for scripts. Its fields are all on the page. */
@Execution(ExecutionMode.CONCURRENT)
class ScrubCommandTest {
  private static final long NOW_MS = 10_000_000;
  private static final JsonObject ANSWER = new JsonObject()
      .put("nodes", new JsonArray().add(Wire.write(new ScrubView("n1", 86_400, 100_000_000, "reading", List.of(
          new ScrubbedDataset(7, "step-7", OptionalLong.empty(), 4_000_000, 1000, 0, 0, List.of()),
          new ScrubbedDataset(6, "step-6", OptionalLong.of(NOW_MS - 60_000), 4_000_000, 0, 1, 0,
              List.of("rank 3: x has checksum 0x1 instead of 0x2")))))))
      .put("published", Wire.write(new PublishedView("n1", 0, List.of(
          new PublishedDataset("/p", 5, "step-5", 8_000_000, OptionalLong.of(NOW_MS - 1000), false, "rank 1: gone"),
          new PublishedDataset("/p", 4, "step-4", 8_000_000, OptionalLong.empty(), true, "")))));

  private static Map<String, Object> plain(JsonObject json) {
    return new JsonObject(JsonVersion.of(json.copy()).encode()).getMap();
  }

  @Test
  void everyFieldIsOnThePage() throws Exception {
    JsonPage page = new JsonPage("scr scrub");
    assertThat(page.check(plain(ANSWER))).containsAll(page.all().stream().filter(field -> !field.equals("published"))
        .toList());
    JsonPage drain = new JsonPage("scr drain");
    assertThat(drain.check(plain(Wire.write(
        new DrainReply("n1", DrainState.STOPPED, 43, "nodes are away").withLost(List.of(4)))))).isEqualTo(drain.all());
  }

  @Test
  void whatIsDamagedStandsAboveTheTable() {
    List<String> lines = ScrubCommand.lines(ANSWER, NOW_MS);
    assertThat(lines.subList(0, 3)).containsExactly(
        "node   n1: reading, everything within 24 h 0 min, at most 100.0 MB/s",
        "note   dataset 6 on n1: rank 3: x has checksum 0x1 instead of 0x2",
        "note   dataset 5 of /p: rank 1: gone");
    assertThat(lines).anyMatch(line -> line.matches("7 +step-7 +n1 +4\\.0 MB +- +0 +0 +being read"))
        .anyMatch(line -> line.matches("6 +step-6 +n1 .*DAMAGED"))
        .anyMatch(line -> line.matches("5 +step-5 +/p .*DAMAGED"))
        .anyMatch(line -> line.matches("4 +step-4 +/p +8\\.0 MB +- +to be read"));
  }
}
