package io.vertxscr.protocol.node.container;

import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.protocol.FieldChecks;
import java.util.List;

/**
 * One of each for every rank, in the order asked for.
 *
 * @param offsets where the rank's files begin in the dataset's stream
 */
public record EntriesReply(List<RankFiles> files, List<Long> offsets, long containerBytes, long alignBytes) {
  public EntriesReply {
    FieldChecks.size("files", files, Limits.MAX_RANKS);
    FieldChecks.range("offsets (entries)", offsets.size(), files.size(), files.size());
    offsets.forEach(offset -> FieldChecks.bytes("offsets", offset));
    FieldChecks.range("containerBytes", containerBytes, 1, Limits.MAX_BYTES);
    FieldChecks.range("alignBytes", alignBytes, 1, Limits.MAX_BYTES);
  }
}
