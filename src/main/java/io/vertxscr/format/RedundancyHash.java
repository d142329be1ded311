package io.vertxscr.format;

import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;

/**
 * A redundancy descriptor, in the part that all ranks have in common.
 * <pre>
 *   ENABLED -> 1            TYPE -> XOR
 *   INDEX -> 0              HOP_DISTANCE -> 1       always: members follow each other
 *   INTERVAL -> 1           SET_SIZE -> 8           asked for; sets may be larger
 *   FAILURE_GROUP -> NODE   SET_FAILURES -> 1
 *   STORE -> /ssd           BYPASS -> 0
 *   GROUPS -> 4             number of redundancy sets, 0 as long as there are none
 * </pre>
 */
final class RedundancyHash {
  private static final int HOP_DISTANCE = 1;

  private RedundancyHash() {}

  static Hash encode(RedundancyDescriptor descriptor) {
    CheckpointDescriptor how = descriptor.how();
    return new Hash()
        .set("ENABLED", Fields.flag(how.enabled()))
        .set("INDEX", how.index())
        .set("INTERVAL", how.interval())
        .set("FAILURE_GROUP", how.group())
        .set("STORE", how.storeBase())
        .set("TYPE", how.redundancy().scheme())
        .set("HOP_DISTANCE", HOP_DISTANCE)
        .set("SET_SIZE", how.redundancy().setSize())
        .set("SET_FAILURES", how.redundancy().failures())
        .set("BYPASS", Fields.flag(how.bypass()))
        .set("GROUPS", descriptor.groups());
  }

  static RedundancyDescriptor decode(Fields fields) {
    fields.expect("HOP_DISTANCE", HOP_DISTANCE);
    Redundancy redundancy = redundancy(fields);
    return new RedundancyDescriptor(new CheckpointDescriptor(fields.integer("INDEX", 0), fields.flag("ENABLED"),
        fields.integer("INTERVAL", 1), fields.text("FAILURE_GROUP"), fields.text("STORE"), redundancy,
        fields.flag("BYPASS")), fields.integer("GROUPS", 0));
  }

  private static Redundancy redundancy(Fields fields) {
    Scheme scheme = fields.constant("TYPE", Scheme.class, fields.text("TYPE"));
    try {
      return new Redundancy(scheme, fields.integer("SET_SIZE", 0), fields.integer("SET_FAILURES", 0));
    } catch (ScrException e) {
      throw e.fault() == Fault.CORRUPT ? e : fields.corrupt("SET_SIZE", e.getMessage());
    }
  }
}
