package io.vertxscr.placement;

/**
 * Positions of the segments of an XOR or RS set. A stripe has one segment of each of N-k members, and k of parity,
 * which stand at the members m, m+1, ... m+k-1 of stripe m: the holders of its rows 0 to k-1. Each member's logical
 * file, padded with zeros to N-k segments, fills in order the stripes in which it holds no parity. With one failure, N
 * = 4:
 * <pre>
 *              stripe 0   stripe 1   stripe 2   stripe 3
 *   member 0   parity     seg 0      seg 1      seg 2
 *   member 1   seg 0      parity     seg 1      seg 2
 *   member 2   seg 0      seg 1      parity     seg 2
 *   member 3   seg 0      seg 1      seg 2      parity
 * </pre>
 * With two, N = 5:
 * <pre>
 *              stripe 0   stripe 1   stripe 2   stripe 3   stripe 4
 *   member 0   row 0      seg 0      seg 1      seg 2      row 1
 *   member 1   row 1      row 0      seg 0      seg 1      seg 2
 *   member 2   seg 0      row 1      row 0      seg 1      seg 2
 *   member 3   seg 0      seg 1      row 1      row 0      seg 2
 *   member 4   seg 0      seg 1      seg 2      row 1      row 0
 * </pre>
 * A member keeps its parity in the order of the rows: row r of stripe m-r.
 *
 * @param members N, at least 2
 * @param failures k, 1 to N-1
 * @param chunkBytes length of one segment
 */
public record ParityLayout(int members, int failures, long chunkBytes) {
  public ParityLayout {
    if (failures < 1 || members <= failures || chunkBytes < 0) {
      throw new IllegalArgumentException(
          members + " members, " + failures + " failures, segments of " + chunkBytes + " bytes");
    }
  }

  /**
   * The smallest segments that hold every member.
   *
   * @param largestBytes length of the longest logical file in the set
   */
  public static ParityLayout of(int members, int failures, long largestBytes) {
    return new ParityLayout(members, failures, Math.ceilDiv(largestBytes, Math.max(1, members - failures)));
  }

  /** Which row of parity the member holds in a stripe; from {@link #failures} on: none, but data. */
  public int rowAt(int member, int stripe) {
    checkMember(member);
    checkMember(stripe);
    return Math.floorMod(member - stripe, members);
  }

  /** Whether a segment of the member's data stands in this stripe. */
  public boolean hasData(int member, int stripe) {
    return rowAt(member, stripe) >= failures;
  }

  /** The member that holds this row of a stripe's parity. */
  public int holder(int stripe, int row) {
    checkMember(stripe);
    return (stripe + row) % members;
  }

  /** The stripe of which the member holds this row: the inverse of {@link #holder}. */
  public int stripeOf(int member, int row) {
    checkMember(member);
    return Math.floorMod(member - row, members);
  }

  /** Which of the member's segments, counted from 0, stands in this stripe. */
  public int segmentAt(int member, int stripe) {
    if (!hasData(member, stripe)) {
      throw new IllegalArgumentException("member " + member + " has no data in stripe " + stripe);
    }
    int segment = 0;
    for (int before = 0; before < stripe; before++) {
      segment += hasData(member, before) ? 1 : 0;
    }
    return segment;
  }

  /** In which stripe the member's segment stands: the inverse of {@link #segmentAt}. */
  public int stripeAt(int member, int segment) {
    int left = segment;
    for (int stripe = 0; stripe < members; stripe++) {
      if (hasData(member, stripe) && left-- == 0) {
        return stripe;
      }
    }
    throw new IllegalArgumentException("segment " + segment + " of " + (members - failures));
  }

  /** Returns the offset of a member's segment of this stripe in its logical file. */
  public long offset(int member, int stripe) {
    return segmentAt(member, stripe) * chunkBytes;
  }

  /** Returns the bytes of a logical file of this length in that segment; the rest of it is padding. */
  public long bytesIn(int segment, long logicalBytes) {
    return Math.clamp(logicalBytes - segment * chunkBytes, 0, chunkBytes);
  }

  private void checkMember(int member) {
    if (member < 0 || member >= members) {
      throw new IllegalArgumentException("member " + member + " of " + members);
    }
  }
}
