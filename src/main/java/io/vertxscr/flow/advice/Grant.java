package io.vertxscr.flow.advice;

import java.util.List;
import java.util.Optional;

/**
 * Answers that a node may give, granted by the leader.
 *
 * @param version grants of earlier versions are withdrawn
 * @param from the spans are about the calls after this one
 * @param lease how all calls after the spans are answered until it is withdrawn; empty: the leader is asked for each
 * @param forget no rank makes this call, or one before it, again
 */
public record Grant(long version, long from, List<Span> spans, Optional<Rule> lease, long forget) {}
