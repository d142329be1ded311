package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.explain.LossReport.Use;
import io.vertxscr.explain.LossReport;
import io.vertxscr.flow.restart.Exposure.Lost;
import io.vertxscr.format.Fields;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Plural;
import io.vertxscr.service.dashboard.LossJson;
import java.util.ArrayList;
import java.util.List;

/** Text and JSON of what losses of nodes would cost (docs/flows/what-if.md). */
final class WhatIfPage {
  private static final int MOST_DATASETS = 6;
  private static final int MOST_GROUPS = 6;
  private static final int MOST_EXAMPLES = 3;
  private static final int MOST_REASON_CHARS = 300;
  private static final int VERSION = 1;
  private static final String REASON_BEGINS = " cannot be restored from the caches: ";

  private WhatIfPage() {}

  /**
   * One answer.
   *
   * @param title the losses in words
   * @param header what was looked at
   * @param groups losses with the same consequences, the worst first
   * @param pairsLeftOut pairs that were not looked at
   */
  record LossAnswer(String title, String header, List<Group> groups, long pairsLeftOut) {}

  /** Losses with the same report. @param of how many losses there are in all groups */
  record Group(LossReport report, long count, long of, List<List<String>> examples) {}

  static List<String> lines(LossAnswer answer) {
    List<String> lines = new ArrayList<>();
    lines.add(answer.title() + " (" + answer.header() + ")");
    for (Group group : answer.groups().subList(0, Math.min(MOST_GROUPS, answer.groups().size()))) {
      if (group.of() > 1) {
        lines.add("");
        lines.add(group.count() + " of " + group.of() + " losses" + ", "
            + examples(group) + ":");
      }
      lines.addAll(lines(group.report()));
    }
    if (answer.groups().size() > MOST_GROUPS) {
      lines.add("");
      lines.add("and " + Plural.of(answer.groups().size() - MOST_GROUPS, "lesser kind") + " of loss; --json has all");
    }
    if (answer.pairsLeftOut() > 0) {
      lines.add("");
      lines.add(answer.pairsLeftOut() + " pairs within large redundancy sets were not looked at as pairs; --if-lost"
          + " with both names looks at one");
    }
    return lines;
  }

  private static String examples(Group group) {
    List<String> some = group.examples().stream().limit(MOST_EXAMPLES).map(loss -> String.join(" and ", loss)).toList();
    return (group.count() > some.size() ? "such as " : "") + String.join(", ", some);
  }

  private static List<String> lines(LossReport report) {
    List<String> lines = new ArrayList<>();
    lines.add("restart   " + restart(report));
    lines.add("work      " + work(report));
    report.restart().filter(Use::brings).ifPresent(use -> lines.add("time      " + time(use)));
    if (!report.survive().isEmpty()) {
      lines.add("survives  " + names(report.survive()));
    }
    if (!report.prefixOnly().isEmpty()) {
      lines.add("prefix    only there then: " + names(report.prefixOnly()));
    }
    lost(lines, "lost      ", report.gone());
    lost(lines, "before    lost without that: ", report.goneAlready());
    report.helps().forEach(help -> lines.add("helps     " + help));
    return lines;
  }

  private static String restart(LossReport report) {
    if (report.otherSize().isPresent()) {
      return "refused: dataset " + name(report.otherSize().get().descriptor()) + " is newer, and was written by "
          + Plural.of(report.otherSize().get().origin().ranks(), "rank");
    }
    return report.restart().map(use -> "dataset " + name(use.candidate().descriptor())
        + (use.candidate().cached() ? " of the caches" : " of the prefix directory") + (use.asNow() ? ", as now" : "")
        + (use.rebuilt() > 0 ? "; the files of " + Plural.of(use.rebuilt(), "rank") + " are rebuilt" : ""))
        .orElse("none: a run would start without a checkpoint");
  }

  private static String work(LossReport report) {
    String lost = report.checkpointsLost().isEmpty() ? "no checkpoint is lost"
        : Plural.of(report.checkpointsLost().size(), "checkpoint") + " lost: " + names(report.checkpointsLost());
    return report.workLostUs().isPresent() ? "what was done in the " + Humane.duration(report.workLostUs().getAsLong()
        / 1e6) + " since that was begun; " + lost : "all of it; " + lost;
  }

  private static String time(Use use) {
    String what = use.candidate().cached() ? "rebuild" : "fetch";
    String amount = Humane.bytes(use.bytes()) + " to " + what;
    return use.rate().map(rate -> "about " + Humane.duration(use.seconds().orElseThrow()) + ": " + amount + " at "
            + Humane.bytes(Math.round(rate.bytesPerSecond())) + "/s, as measured when dataset " + rate.dataset()
            + " was restored, " + Fields.time(rate.time()))
        .orElse("not known: " + amount + ", and the log of the prefix directory has no " + what + " to measure by");
  }

  private static void lost(List<String> lines, String heading, List<Lost> lost) {
    lost.stream().limit(MOST_DATASETS).forEach(one -> lines.add(heading + name(one.dataset().descriptor()) + ": "
        + shortened(why(one))));
    if (lost.size() > MOST_DATASETS) {
      lines.add(heading + Plural.of(lost.size() - MOST_DATASETS, "other dataset"));
    }
  }

  /** The sentence of the planner without its begin, which names the dataset. */
  private static String why(Lost lost) {
    int begin = lost.why().indexOf(REASON_BEGINS, lost.dataset().descriptor().name().length());
    return begin < 0 ? lost.why() : lost.why().substring(begin + REASON_BEGINS.length());
  }

  /** Large sets make long sentences; the JSON has all of them. */
  private static String shortened(String sentence) {
    return sentence.length() <= MOST_REASON_CHARS ? sentence : sentence.substring(0, MOST_REASON_CHARS) + "...";
  }

  private static String names(List<DatasetDescriptor> datasets) {
    return Plural.list(datasets.stream().map(WhatIfPage::name).toList(), MOST_DATASETS);
  }

  private static String name(DatasetDescriptor dataset) {
    return dataset.id() + " '" + dataset.name() + "'";
  }

  static JsonObject json(LossAnswer answer, List<String> nodes) {
    return new JsonObject().put("version", VERSION).put("nodes", new JsonArray(nodes)).put("seen", answer.header())
        .put("losses", new JsonArray(answer.groups().stream()
            .map(group -> LossJson.of(group.report(), group.count(), group.examples())).toList()))
        .put("pairsLeftOut", answer.pairsLeftOut());
  }
}
