package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * Asks for checksums of these ranks' files, and for computed parity. Both are those of the asked node in this round;
 * the parity is what its own ranks have computed for others.
 *
 * @param run for which the dataset is protected; once that is over for the asked node, it refuses
 * @param round of a dataset that is protected again; 0: in a phase of the run
 * @param parityFrom ranks of the asked node whose finished parity the asking one needs
 */
public record ChecksumsRequest(
    int datasetId, long run, long round, List<Integer> owners, List<Integer> parityFrom) {
  public ChecksumsRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.run(run);
    FieldChecks.count("round", round);
    FieldChecks.ranks("owners", owners);
    FieldChecks.ranks("parityFrom", parityFrom);
  }
}
