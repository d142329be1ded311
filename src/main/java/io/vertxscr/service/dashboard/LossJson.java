package io.vertxscr.service.dashboard;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.explain.LossReport.Use;
import io.vertxscr.explain.LossReport;
import io.vertxscr.explain.RestoreRates.Rate;
import io.vertxscr.flow.restart.Exposure.Lost;
import io.vertxscr.format.Fields;
import io.vertxscr.model.DatasetDescriptor;
import java.util.List;

/** What a loss of nodes costs, as JSON (docs/flows/what-if.md). */
public final class LossJson {
  private LossJson() {}

  /**
   * The fields of a kind of loss.
   *
   * @param count how many losses have these consequences
   * @param examples some of them, lists of nodes
   */
  public static JsonObject of(LossReport report, long count, List<List<String>> examples) {
    JsonObject json = new JsonObject().put("count", count)
        .put("examples", new JsonArray(examples.stream().map(JsonArray::new).toList()))
        .put("costsWork", report.costsWork())
        .put("checkpointsLost", datasets(report.checkpointsLost()))
        .put("survive", datasets(report.survive())).put("prefixOnly", datasets(report.prefixOnly()))
        .put("lost", lost(report.gone())).put("lostBefore", lost(report.goneAlready()))
        .put("helps", new JsonArray(report.helps()));
    report.workLostUs().ifPresent(us -> json.put("workLostSeconds", us / 1e6));
    report.otherSize().ifPresent(other -> json.put("refusedFor", dataset(other.descriptor())
        .put("ranks", other.origin().ranks())));
    report.restart().ifPresent(use -> json.put("restart", json(use)));
    return json;
  }

  private static JsonObject json(Use use) {
    JsonObject json = dataset(use.candidate().descriptor()).put("from", use.candidate().cached() ? "caches" : "prefix")
        .put("asNow", use.asNow()).put("rebuiltRanks", use.rebuilt()).put("bytes", use.brings() ? use.bytes() : 0);
    use.rate().filter(_ -> use.brings()).ifPresent(rate -> json.put("seconds", use.seconds().orElseThrow())
        .put("rate", rate(rate)));
    return json;
  }

  private static JsonObject rate(Rate rate) {
    return new JsonObject().put("bytesPerSecond", rate.bytesPerSecond()).put("dataset", rate.dataset())
        .put("measured", Fields.time(rate.time()));
  }

  private static JsonArray datasets(List<DatasetDescriptor> datasets) {
    return new JsonArray(datasets.stream().map(LossJson::dataset).toList());
  }

  private static JsonObject dataset(DatasetDescriptor dataset) {
    return new JsonObject().put("id", dataset.id()).put("name", dataset.name());
  }

  private static JsonArray lost(List<Lost> lost) {
    return new JsonArray(lost.stream().map(one -> dataset(one.dataset().descriptor()).put("why", one.why())).toList());
  }
}
