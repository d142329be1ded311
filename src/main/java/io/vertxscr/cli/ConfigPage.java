package io.vertxscr.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.Effective;
import io.vertxscr.config.Parameter;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.StoreDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that is configured: for people, with a table for each kind of setting, and for programs.
 *
 * @param system the file of the system, where there is one
 * @param user that of the user
 */
record ConfigPage(Optional<Path> system, Optional<Path> user, Effective effective, Descriptors descriptors) {
  private static final Map<Parameter.Scope, String> TITLES = Map.of(
      Parameter.Scope.NODE, "Of each node, from the system only:",
      Parameter.Scope.PROCESS, "Of each process, from its environment:",
      Parameter.Scope.RUN, "Of a run:",
      Parameter.Scope.LAUNCHER, "Of scr run:");

  List<String> lines(boolean explain) {
    List<String> lines = new ArrayList<>();
    lines.add("configuration of the system: " + system.map(Path::toString).orElse("none"));
    lines.add("configuration of the user: " + user.map(Path::toString).orElse("none"));
    for (Parameter.Scope scope : Parameter.Scope.values()) {
      add(lines, TITLES.get(scope), parameters(scope, explain));
    }
    add(lines, "Checkpoints, by the largest interval that divides their number:", checkpoints());
    add(lines, "Stores:", stores());
    if (!descriptors.groups().nodes().isEmpty()) {
      add(lines, "Groups:", groups());
    }
    if (explain) {
      add(lines, "Keys of entries in a file, as CKPT=0 TYPE=XOR, STORE=/ssd COUNT=2, GROUPS=node1 POWER=psu1:", keys());
    }
    return lines;
  }

  private static List<List<String>> keys() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("entry", "key", "values", "meaning"));
    for (Configuration.EntryKey key : Configuration.entryKeys()) {
      rows.add(List.of(key.entry(), key.name(), key.values(), key.help()));
    }
    return rows;
  }

  private static void add(List<String> lines, String title, List<List<String>> rows) {
    lines.add("");
    lines.add(title);
    lines.addAll(TextTable.lines(rows));
  }

  private List<List<String>> parameters(Parameter.Scope scope, boolean explain) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(explain ? List.of("parameter", "value", "from", "meaning") : List.of("parameter", "value", "from"));
    Arrays.stream(Parameter.values()).filter(parameter -> parameter.scope() == scope).forEach(parameter -> {
      List<String> row = new ArrayList<>(List.of(parameter.name(), text(parameter), source(parameter)));
      if (explain) {
        row.add(parameter.help());
      }
      rows.add(row);
    });
    return rows;
  }

  private String text(Parameter parameter) {
    return effective.value(parameter).map(Effective.Value::text).orElse("-");
  }

  private String source(Parameter parameter) {
    return effective.value(parameter).map(Effective.Value::source).orElse("default");
  }

  private List<List<String>> checkpoints() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("ckpt", "interval", "group", "store", "type", "set size", "failures", "flags"));
    for (CheckpointDescriptor ckpt : descriptors.checkpoints()) {
      rows.add(List.of("" + ckpt.index(), "" + ckpt.interval(), ckpt.group(), ckpt.storeBase(),
          ckpt.redundancy().scheme().name(), "" + ckpt.redundancy().setSize(), "" + ckpt.redundancy().failures(),
          flags(ckpt)));
    }
    return rows;
  }

  private String flags(CheckpointDescriptor ckpt) {
    List<String> flags = new ArrayList<>();
    if (isOutput(ckpt)) {
      flags.add("output");
    }
    if (ckpt.bypass()) {
      flags.add("bypass");
    }
    if (!ckpt.enabled()) {
      flags.add("disabled");
    }
    descriptors.compression(ckpt).ifPresent(how -> flags.add("zstd-" + how.level()));
    return String.join(" ", flags);
  }

  private boolean isOutput(CheckpointDescriptor ckpt) {
    return descriptors.output().isPresent() && descriptors.output().getAsInt() == ckpt.index();
  }

  private List<List<String>> stores() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("store", "group", "count", "size", "mkdir"));
    for (StoreDescriptor store : descriptors.stores()) {
      rows.add(List.of(store.base(), store.group(), "" + store.count(),
          store.sizeBytes().isPresent() ? "" + store.sizeBytes().getAsLong() : "-", store.mkdir() ? "1" : "0"));
    }
    return rows;
  }

  private List<List<String>> groups() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("node", "groups"));
    descriptors.groups().nodes().forEach((node, groups) -> rows.add(List.of(node,
        String.join(" ", groups.entrySet().stream().map(group -> group.getKey() + "=" + group.getValue()).toList()))));
    return rows;
  }

  JsonObject json() {
    JsonArray parameters = new JsonArray();
    for (Parameter parameter : Parameter.values()) {
      JsonObject one = new JsonObject().put("name", parameter.name()).put("scope", parameter.scope().name());
      effective.value(parameter).ifPresent(value -> one.put("value", value.text()));
      parameters.add(one.put("from", source(parameter)));
    }
    JsonObject groups = new JsonObject();
    descriptors.groups().nodes().forEach((node, ofNode) -> groups.put(node, new JsonObject(Map.copyOf(ofNode))));
    return new JsonObject()
        .put("parameters", parameters)
        .put("checkpoints", new JsonArray(descriptors.checkpoints().stream().map(this::json).toList()))
        .put("stores", new JsonArray(descriptors.stores().stream().map(ConfigPage::json).toList()))
        .put("groups", groups);
  }

  private JsonObject json(CheckpointDescriptor ckpt) {
    JsonObject json = new JsonObject().put("ckpt", ckpt.index()).put("interval", ckpt.interval())
        .put("group", ckpt.group()).put("store", ckpt.storeBase()).put("type", ckpt.redundancy().scheme().name())
        .put("setSize", ckpt.redundancy().setSize()).put("failures", ckpt.redundancy().failures())
        .put("output", isOutput(ckpt)).put("bypass", ckpt.bypass()).put("enabled", ckpt.enabled());
    descriptors.compression(ckpt).ifPresent(how -> json.put("zstdLevel", how.level()));
    return json;
  }

  private static JsonObject json(StoreDescriptor store) {
    JsonObject json = new JsonObject().put("store", store.base()).put("group", store.group())
        .put("count", store.count()).put("mkdir", store.mkdir());
    store.sizeBytes().ifPresent(bytes -> json.put("sizeBytes", bytes));
    return json;
  }
}
