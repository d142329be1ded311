package io.vertxscr.service.flush;

/**
 * The leader half of the flush, on every node, because each may become the leader.
 *
 * @param coordinator runs the flushes, one state machine a dataset
 * @param wanted finds the datasets that must be flushed
 * @param states answers ranks that ask about a flush
 * @param shares divides width and bandwidth over the nodes
 * @param retention deletes old checkpoints of prefix directories
 * @param access mutual exclusion of what changes names in a prefix directory, and fencing of other leaders
 */
public record FlushLeader(FlushCoordinator coordinator, WantedFlushes wanted, FlushStates states, FlushShares shares,
    PrefixRetention retention, PrefixAccess access) {}
