package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;
import java.util.Optional;

/**
 * Result of the gather PROTECTED: the dataset is complete.
 *
 * @param halt why the run is to stop, where it is
 * @param exit whether its processes are to end themselves then
 * @param sync whether some node brings it to stable storage now: older ones stay until all such nodes have done so
 */
public record OutputProtected(Optional<String> halt, boolean exit, boolean sync) {
  public OutputProtected {
    halt.ifPresent(why -> FieldChecks.sentence("halt", why));
  }
}
