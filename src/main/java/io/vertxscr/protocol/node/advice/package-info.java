/** Leases for answers that nodes give by themselves; see {@code flow.advice.LeaderAnswers}. */
package io.vertxscr.protocol.node.advice;
