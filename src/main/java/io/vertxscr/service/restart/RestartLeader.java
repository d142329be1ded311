package io.vertxscr.service.restart;

/**
 * The leader half of the restart, on every node, because each may become the leader.
 *
 * @param restores moves and rebuilds cached datasets, one at a time
 * @param restorer brings a checkpoint to the nodes of the ranks
 * @param catchUp computes the redundancy that a restored dataset lacks
 * @param healing makes lost parts again between runs
 * @param journal remembers in the prefix directory how restarts ended
 * @param wishes parameters that are followed once a launch
 */
public record RestartLeader(
    CacheRestores restores, Restorer restorer, CatchUp catchUp, CacheHealing healing, RestartJournal journal,
    LaunchWishes wishes) {}
