package io.vertxscr.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cluster.EmbeddedMembership;
import io.vertxscr.model.NodeInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: rules and board ask for what there is. Method: their words against the page. What they do: PrometheusIT. */
class RulesAndBoardTest {
  private static final Path RULES = Path.of("conf", "prometheus-rules.yml");
  private static final Path TESTS = Path.of("src/test/resources/prometheus/alerts-test.yml");

  @ParameterizedTest
  @ValueSource(strings = {"conf/prometheus-rules.yml", "conf/grafana/vertx-scr.json",
      "src/test/resources/prometheus/alerts-test.yml"})
  void everyNameIsOneOfThePage(String file) throws IOException {
    Set<String> names = found("\\b(scr_[a-z_]+)", Files.readString(Path.of(file)));

    assertThat(names).isNotEmpty().isSubsetOf(samples());
  }

  private static Set<String> samples() {
    try (Metrics metrics = new Metrics()) {
      metrics.watch(List::of, _ -> false, new EmbeddedMembership().join(new NodeInfo("n1", "host", "127.0.0.1", 1)),
          () -> NodeFigures.NONE);
      return found("(?m)^(scr_\\w+)[{ ]", metrics.page());
    }
  }

  @Test
  void everyRecordedNameThatIsUsedIsRecorded() throws IOException {
    String rules = Files.readString(RULES);

    assertThat(found("(?:expr:.*|[(/] *)\\b(scr:\\w+:\\w+)", rules)).isSubsetOf(found("record: (\\S+)", rules));
  }

  @Test
  void everyAlertHasASeverityAndATestInWhichItFires() throws IOException {
    String rules = Files.readString(RULES);
    Set<String> alerts = found("alert: (\\w+)", rules);
    String tests = Files.readString(TESTS);
    Set<String> firing = new TreeSet<>(found("alertname=\"(\\w+)\", alertstate=\"firing\", severity", tests));
    firing.addAll(found("alertname: (\\w+)\\n +exp_alerts:", tests));

    assertThat(firing).isEqualTo(alerts);
    assertThat(Pattern.compile("severity: (?:critical|warning)\\b").matcher(rules.substring(rules.indexOf("groups:")))
        .results().count()).isEqualTo(alerts.size());
  }

  @Test
  void everyAlertIsDocumented() throws IOException {
    assertThat(found("(?m)^\\| `(Scr\\w+)`", Files.readString(Path.of("docs", "metrics.md"))))
        .isEqualTo(found("alert: (\\w+)", Files.readString(RULES)));
  }

  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
