package io.vertxscr.redundancy;

import io.vertxscr.redundancy.range.RangeRequest;
import java.util.List;

/**
 * A range that goes into one sum or several at once.
 *
 * @param factors what its bytes are multiplied by in each of the sums, 0 to 255
 */
record Term(RangeRequest request, List<Integer> factors) {
  Term {
    factors = List.copyOf(factors);
  }

  /** Returns the term's share of a part of the sum; empty beyond its end. */
  Term part(long from, long bytes) {
    long left = Math.clamp(request.bytes() - from, 0, bytes);
    return new Term(new RangeRequest(request.node(), request.datasetId(), request.rank(), request.kind(),
        request.offset() + from, left), factors);
  }

  /** A range that is taken as it is, into one sum. */
  static Term plain(RangeRequest request) {
    return new Term(request, List.of(1));
  }
}
