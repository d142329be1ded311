package io.vertxscr.protocol.node.redundancy;

import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.RankMap;
import io.vertxscr.protocol.FieldChecks;

/**
 * Compute redundancy under this rank map, as the dataset's own descriptor says.
 *
 * @param run for which it is protected
 * @param round tells attempts apart; 0 is the phase that wrote the dataset
 * @param groups those of the nodes in the rank map
 */
public record ProtectRequest(int datasetId, long run, long round, RankMap map, GroupDescriptors groups) {
  public ProtectRequest {
    FieldChecks.dataset(datasetId);
    FieldChecks.run(run);
    FieldChecks.count("round", round);
  }
}
