package io.vertxscr.service;

import io.vertxscr.model.Fault;
import java.util.Map;
import java.util.Optional;

/**
 * A span that has ended (docs/flows/traces.md).
 *
 * @param traceId 32 hex digits
 * @param spanId 16 hex digits
 * @param parentId 16 hex digits; empty for the root
 * @param node which has done it
 * @param startNs by the node's wall clock, since 1970
 * @param endNs the same; not before {@code startNs}
 * @param attributes of type String or Long
 */
public record TraceSpan(String traceId, String spanId, String parentId, String name, String node, long startNs,
    long endNs, Map<String, Object> attributes, Optional<Failure> failure) {
  /** Why it failed, in a sentence. */
  public record Failure(Fault fault, String cause) {}
}
