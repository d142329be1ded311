package io.vertxscr.format.prefix;

import io.vertxscr.format.DescriptorHash;
import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.DatasetDescriptor;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/**
 * {@code <prefix>/.scr/index.scr}: all datasets of a prefix directory.
 * <pre>
 *   VERSION -> 2
 *   CURRENT -> b.3                            missing if nothing is current
 *   NAME -> b.3 -> DSET -> 3
 *   DSET -> 3 -> DSET/descriptor
 *                COMPLETE -> 1
 *                FLUSHED -> 2026-11-20T11:58:50
 *                FETCHED -> 2026-11-20T12:30:00, ...
 *                FAILED -> 2026-11-20T12:31:07
 *                DAMAGED -> 2026-11-20T12:31:07      as FAILED, where a verification has set that
 *                REPLACED -> 4                       the later dataset that has written over its files; COMPLETE is 0
 * </pre>
 */
public final class IndexFile {
  private static final String KIND = "index file";
  private static final int VERSION = 2;

  private IndexFile() {}

  /** The whole file. */
  public static byte[] encode(Index index) {
    Hash hash = new Hash().set("VERSION", VERSION);
    index.current().ifPresent(name -> hash.set("CURRENT", name));
    Hash names = hash.at("NAME");
    Hash datasets = hash.at("DSET");
    for (Index.Entry entry : index.entries()) {
      names.at(entry.name()).set("DSET", entry.id());
      Hash dataset = datasets.at(Integer.toString(entry.id()))
          .put("DSET", DescriptorHash.encode(entry.descriptor(), entry.complete()))
          .set("COMPLETE", Fields.flag(entry.complete()));
      entry.flushed().ifPresent(time -> dataset.set("FLUSHED", Fields.time(time)));
      entry.fetched().forEach(time -> dataset.add("FETCHED", Fields.time(time)));
      entry.failed().ifPresent(time -> dataset.set("FAILED", Fields.time(time)));
      entry.failed().filter(_ -> entry.byVerify()).ifPresent(time -> dataset.set("DAMAGED", Fields.time(time)));
      entry.replacedBy().ifPresent(id -> dataset.set("REPLACED", id));
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT, also where names and datasets do not belong together */
  public static Index decode(byte[] file) {
    return Fields.read(file, KIND, IndexFile::index);
  }

  private static Index index(Fields fields) {
    fields.expect("VERSION", VERSION);
    SortedMap<Integer, Fields> datasets = fields.numbered("DSET");
    List<Index.Entry> entries = new ArrayList<>();
    for (Map.Entry<Integer, Fields> dataset : datasets.entrySet()) {
      Index.Entry entry = entry(dataset.getValue());
      dataset.getValue().child("DSET").expect("ID", dataset.getKey());
      fields.child("NAME").child(entry.name()).expect("DSET", entry.id());
      entries.add(entry);
    }
    int names = fields.find("NAME").map(name -> name.children().size()).orElse(0);
    if (names != entries.size()) {
      throw fields.corrupt("NAME", names + " names for " + entries.size() + " datasets");
    }
    return new Index(fields.findText("CURRENT"), entries);
  }

  private static Index.Entry entry(Fields dataset) {
    DatasetDescriptor descriptor = DescriptorHash.decode(dataset.child("DSET"));
    Optional<LocalDateTime> failed = dataset.findTime("FAILED");
    boolean complete = dataset.flag("COMPLETE");
    // another tool that has set FAILED since knows nothing of DAMAGED, which then has another time; nor does one that
    // has set COMPLETE know of REPLACED
    return new Index.Entry(descriptor, complete, dataset.findTime("FLUSHED"), dataset.times("FETCHED"), failed,
        failed.isPresent() && failed.equals(dataset.findTime("DAMAGED")),
        complete || !dataset.has("REPLACED") ? OptionalInt.empty() : OptionalInt.of(dataset.integer("REPLACED", 1)));
  }
}
