package io.vertxscr.format;

import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Job;

/**
 * The dataset descriptor inside other files.
 * <pre>
 *   ID -> 6                       FLAG_CKPT -> 1         USER -> user1         (missing where unknown)
 *   NAME -> b.6                   FLAG_OUTPUT -> 0       JOBNAME -> sim
 *   CREATED -> 1312850690668536   CKPT -> 6              JOBID -> 112573
 *   FILES -> 4                    COMPLETE -> 1          CLUSTER -> zin
 *   SIZE -> 2097182               FLAG_SHARDS -> 1       (missing for 0; SCR does not know it)
 * </pre>
 * COMPLETE repeats what the file around it says, for other tools, and is not read here. CKPT may be missing for output.
 */
public final class DescriptorHash {
  private DescriptorHash() {}

  public static Hash encode(DatasetDescriptor descriptor, boolean complete) {
    Hash hash = new Hash()
        .set("ID", descriptor.id())
        .set("NAME", descriptor.name())
        .set("FLAG_CKPT", Fields.flag(descriptor.flags().checkpoint()))
        .set("FLAG_OUTPUT", Fields.flag(descriptor.flags().output()))
        .set("CREATED", descriptor.createdUs());
    if (descriptor.flags().shards()) {
      hash.set("FLAG_SHARDS", Fields.flag(true));
    }
    setKnown(hash, "USER", descriptor.job().user());
    setKnown(hash, "JOBNAME", descriptor.job().jobName());
    setKnown(hash, "JOBID", descriptor.job().jobId());
    setKnown(hash, "CLUSTER", descriptor.job().cluster());
    return hash
        .set("CKPT", descriptor.checkpointId())
        .set("FILES", descriptor.totals().files())
        .set("SIZE", descriptor.totals().bytes())
        .set("COMPLETE", Fields.flag(complete));
  }

  public static DatasetDescriptor decode(Fields fields) {
    boolean checkpoint = fields.flag("FLAG_CKPT");
    Job job = new Job(fields.findText("USER").orElse(""), fields.findText("JOBNAME").orElse(""),
        fields.findText("JOBID").orElse(""), fields.findText("CLUSTER").orElse(""));
    return new DatasetDescriptor(
        fields.integer("ID", 1),
        fields.text("NAME"),
        new DatasetFlags(checkpoint, fields.flag("FLAG_OUTPUT"),
            checkpoint && fields.has("FLAG_SHARDS") && fields.flag("FLAG_SHARDS")),
        checkpoint || fields.has("CKPT") ? fields.integer("CKPT", 0) : 0,
        fields.number("CREATED", Long.MIN_VALUE),
        job,
        new DatasetDescriptor.Totals(fields.number("FILES", 0), fields.number("SIZE", 0)));
  }

  private static void setKnown(Hash hash, String key, String value) {
    if (!value.isEmpty()) {
      hash.set(key, value);
    }
  }
}
