package io.vertxscr.placement;

/**
 * Where the segments of an XOR set lie.
 *
 * <p>Each member's logical file, padded with zeros to N-1 segments, fills the N-1 slots that are not its own. A
 * member's own slot is the place of its parity: the XOR of what all others have there.
 * <pre>
 *              slot 0     slot 1     slot 2     slot 3
 *   member 0   parity     seg 0      seg 1      seg 2
 *   member 1   seg 0      parity     seg 1      seg 2
 *   member 2   seg 0      seg 1      parity     seg 2
 *   member 3   seg 0      seg 1      seg 2      parity
 * </pre>
 *
 * @param members N, at least 2
 * @param chunkBytes length of one segment
 */
public record XorLayout(int members, long chunkBytes) {
  public XorLayout {
    if (members < 2 || chunkBytes < 0) {
      throw new IllegalArgumentException(members + " members, segments of " + chunkBytes + " bytes");
    }
  }

  /**
   * The smallest segments that hold every member.
   *
   * @param largestBytes length of the longest logical file in the set
   */
  public static XorLayout of(int members, long largestBytes) {
    return new XorLayout(members, Math.ceilDiv(largestBytes, Math.max(1, members - 1)));
  }

  /** Which of the member's segments, counted from 0, stands at the slot of another member. */
  public int segmentAt(int member, int slot) {
    if (member == slot) {
      throw new IllegalArgumentException("member " + member + " has no segment at its own slot");
    }
    checkMember(member);
    checkMember(slot);
    return slot < member ? slot : slot - 1;
  }

  /** At which slot the member's segment stands: the inverse of {@link #segmentAt}. */
  public int slotOf(int member, int segment) {
    checkMember(member);
    checkMember(segment + 1);
    return segment < member ? segment : segment + 1;
  }

  /** Where in the member's logical file its segment for this slot begins. */
  public long offset(int member, int slot) {
    return segmentAt(member, slot) * chunkBytes;
  }

  /** How much of a logical file of this length lies in that segment; the rest of it is padding. */
  public long bytesIn(int segment, long logicalBytes) {
    return Math.clamp(logicalBytes - segment * chunkBytes, 0, chunkBytes);
  }

  private void checkMember(int member) {
    if (member < 0 || member >= members) {
      throw new IllegalArgumentException("member " + member + " of " + members);
    }
  }
}
