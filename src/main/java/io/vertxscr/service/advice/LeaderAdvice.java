package io.vertxscr.service.advice;

import io.vertxscr.service.log.EventLog;

/**
 * The leader's advice to a run, and its log; on every node, because each may become the leader.
 *
 * @param halts watches the halt file and the end of the allocation
 * @param advisor answers should-exit and need-checkpoint
 * @param times measures checkpoints and failures for need-checkpoint
 * @param log events as lines of a log
 */
public record LeaderAdvice(HaltWatch halts, Advisor advisor, CheckpointTimes times, EventLog log) {}
