package io.vertxscr.redundancy;

import java.util.List;

/**
 * A range of the output, and the input ranges that it is the sum of.
 *
 * @param offset where it begins: in the payload of a redundancy file, or in a logical file
 * @param bytes its length; shorter ranges count as padded with zeros
 * @param terms all with as many factors as there are sums
 */
record Stretch(long offset, long bytes, List<Term> terms) {
  Stretch {
    terms = List.copyOf(terms);
  }

  /** A part of it, from so many bytes behind its begin on. */
  Stretch part(long from, long length) {
    return new Stretch(offset + from, length, terms.stream().map(term -> term.part(from, length)).toList());
  }
}
