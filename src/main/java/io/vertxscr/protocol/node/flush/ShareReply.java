package io.vertxscr.protocol.node.flush;

import io.vertxscr.flow.flush.Leases;
import java.util.Optional;

/**
 * The answer; empty cancels the copies, because this attempt is not the leader's current one.
 *
 * @param share counted from the moment of asking
 * @param dropped whether that is so because the dataset is to go: its copies are useless
 */
public record ShareReply(Optional<Leases.Share> share, boolean dropped) {}
