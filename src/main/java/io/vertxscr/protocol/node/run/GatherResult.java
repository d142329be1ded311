package io.vertxscr.protocol.node.run;

import io.vertxscr.protocol.FieldChecks;
import io.vertxscr.protocol.node.Packed;
import java.util.List;

/**
 * Result of a gather, the same for every node.
 *
 * @param fault number of a fault, 0 where it succeeded
 * @param remarks for rank 0, in sentences: what was done since the last gather, where the run wants to know
 */
public record GatherResult(int fault, String message, Packed result, List<String> remarks) {
  public GatherResult {
    FieldChecks.fault(fault);
    FieldChecks.sentence("message", message);
    FieldChecks.sentences("remarks", remarks);
  }

  /** Without remarks. */
  public GatherResult(int fault, String message, Packed result) {
    this(fault, message, result, List.of());
  }
}
