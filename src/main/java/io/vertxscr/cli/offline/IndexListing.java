package io.vertxscr.cli.offline;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.Humane;
import io.vertxscr.cli.text.TextTable;
import io.vertxscr.format.Fields;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetFlags;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** An index as a table and as JSON. The name comes last in the table: it alone may be long. */
final class IndexListing {
  private static final Set<Integer> NUMBERS = Set.of(0, 4, 5);

  private IndexListing() {}

  /** Oldest first, with a heading. */
  static List<String> lines(Index index) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("id", "kind", "valid", "flushed", "size", "files", "current", "name"));
    for (Index.Entry entry : index.entries()) {
      rows.add(List.of(Integer.toString(entry.id()), kind(entry.descriptor().flags()), valid(entry),
          entry.flushed().map(Fields::time).orElse("-"), Humane.bytes(entry.descriptor().totals().bytes()),
          Long.toString(entry.descriptor().totals().files()), isCurrent(index, entry) ? "*" : "", entry.name()));
    }
    return TextTable.lines(rows, NUMBERS);
  }

  static JsonObject json(Index index) {
    JsonArray datasets = new JsonArray();
    for (Index.Entry entry : index.entries()) {
      JsonObject dataset = new JsonObject().put("id", entry.id()).put("name", entry.name())
          .put("kind", kind(entry.descriptor().flags())).put("complete", entry.complete())
          .put("valid", valid(entry)).put("current", isCurrent(index, entry))
          .put("files", entry.descriptor().totals().files()).put("bytes", entry.descriptor().totals().bytes())
          .put("createdUs", entry.descriptor().createdUs());
      entry.flushed().ifPresent(time -> dataset.put("flushed", Fields.time(time)));
      dataset.put("fetched", new JsonArray(entry.fetched().stream().map(Fields::time).toList()));
      entry.failed().ifPresent(time -> dataset.put("failed", Fields.time(time)));
      entry.replacedBy().ifPresent(by -> dataset.put("replacedBy", by));
      datasets.add(dataset);
    }
    JsonObject all = new JsonObject();
    index.current().ifPresent(name -> all.put("current", name));
    return all.put("datasets", datasets);
  }

  static String kind(DatasetFlags flags) {
    return flags.checkpoint() && flags.output() ? "both" : flags.checkpoint() ? "ckpt" : "output";
  }

  /**
   * Returns the validity. {@code failed}: complete, but a fetch found damage; {@code replaced-by-7}: dataset 7 has
   * overwritten its files.
   */
  private static String valid(Index.Entry entry) {
    return entry.replacedBy().isPresent() ? "replaced-by-" + entry.replacedBy().getAsInt()
        : !entry.complete() ? "no" : entry.failed().isPresent() ? "failed" : "yes";
  }

  private static boolean isCurrent(Index index, Index.Entry entry) {
    return index.current().filter(entry.name()::equals).isPresent();
  }
}
