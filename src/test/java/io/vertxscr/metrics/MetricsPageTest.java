package io.vertxscr.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cluster.EmbeddedMembership;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.EventSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: what is scraped is what is documented, and nothing that happens goes uncounted. Method: every event. */
class MetricsPageTest {
  private static final Path DOCUMENT = Path.of("docs", "metrics.md");

  private final Metrics metrics = new Metrics();

  @BeforeEach
  void watches() {
    metrics.watch(List::of, _ -> false, new EmbeddedMembership().join(new NodeInfo("n1", "host", "127.0.0.1", 1)),
        () -> NodeFigures.NONE);
  }

  @AfterEach
  void closes() {
    metrics.close();
  }

  @Test
  void everyMeterIsDocumentedAndEveryDocumentedOneIsThereFromTheStart() throws IOException {
    Set<String> onThePage = found("(?m)^# TYPE (scr_\\w+) ", metrics.page());

    assertThat(onThePage).isEqualTo(found("(?m)^\\| `(scr_\\w+)`", Files.readString(DOCUMENT)));
  }

  @Test
  void labelsAreThoseThatAreDocumentedAndAddNoSeriesWhenThingsHappen() throws IOException {
    Set<String> before = series();
    EventSamples.ALL.forEach(metrics.observer()::notice);

    assertThat(series()).isEqualTo(before);
    assertThat(found("[{,](\\w+)=\"", String.join("\n", before)))
        .isEqualTo(found("(?m)^\\| label `(\\w+)`", Files.readString(DOCUMENT)));
  }

  @Test
  void everyEventMovesAMeter() {
    for (Event event : EventSamples.ALL) {
      String before = ours();
      metrics.observer().notice(event);
      assertThat(ours()).as("the page after %s", event).isNotEqualTo(before);
    }
  }

  @Test
  void bytesAndSecondsAreCountedInBaseUnits() {
    metrics.observer().notice(
        new Event.DatasetComplete(1, 1, false, new Event.PhaseExtent(3, 4_000, 1_500_000, 250_000)));
    metrics.observer().notice(new Event.FlushDone(1, 1, 4_000, 2_000_000));

    assertThat(ours()).contains("scr_phase_seconds_sum{outcome=\"complete\"} 1.5\n",
        "scr_protection_seconds_sum 0.25\n", "scr_protection_bytes_total 4000.0\n",
        "scr_protection_files_total 3.0\n", "scr_flush_seconds_sum{outcome=\"done\"} 2.0\n",
        "scr_flush_bytes_total 4000.0\n", "scr_cluster_nodes 1.0\n", "scr_cluster_leading 1.0\n");
  }

  @Test
  void whatIsUnderWayIsShownUntilItHasArrivedOrIsGivenUp() {
    for (Event end : List.of(new Event.FlushDone(1, 1, 4_000, 2), new Event.FlushGivenUp(1, 1, Fault.CORRUPT, "", 2))) {
      metrics.observer().notice(
          new Event.FlushProgress(1, 1, new Event.CopyProgress(1_000, 4_000, 500, OptionalLong.of(6_000))));
      metrics.observer().notice(new Event.FlushProgress(
          2, 1, new Event.CopyProgress(20, 100, 0, OptionalLong.empty())));
      metrics.observer().notice(new Event.FlushProgress(
          2, 1, new Event.CopyProgress(30, 100, 80, OptionalLong.of(1_000))));
      assertThat(ours()).contains(
          "scr_flush_under_way_bytes 4100.0\n", "scr_flush_copied_bytes 1030.0\n", "scr_flush_remaining_seconds 6.0\n");
      metrics.observer().notice(end);
      assertThat(ours()).contains(
          "scr_flush_under_way_bytes 100.0\n", "scr_flush_copied_bytes 30.0\n", "scr_flush_remaining_seconds 1.0\n");
    }
  }

  private String ours() {
    return metrics.page().lines().filter(line -> line.startsWith("scr_")).collect(Collectors.joining("\n", "", "\n"));
  }

  private Set<String> series() {
    return ours().lines().map(line -> line.substring(0, line.lastIndexOf(' '))).collect(Collectors.toSet());
  }

  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
