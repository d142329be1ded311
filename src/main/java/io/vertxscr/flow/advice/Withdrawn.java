package io.vertxscr.flow.advice;

import java.util.List;

/**
 * A node's answers up to the revocation of its lease; it answers nothing further without asking.
 *
 * @param from the spans are about the calls after this one
 * @param lowest the call that its slowest rank made last
 */
public record Withdrawn(long version, long from, List<Span> spans, long lowest) {
  /** Number of the last call that the node knows the answer to. */
  long end() {
    return spans.isEmpty() ? from : spans.getLast().to();
  }
}
