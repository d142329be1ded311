package io.vertxscr.protocol.node.run;

/**
 * Marks a node to be drained, or takes that back. Idempotent.
 *
 * @param afterRun whether it is marked although a run has ranks there
 */
public record DrainMark(boolean drained, boolean afterRun) {}
