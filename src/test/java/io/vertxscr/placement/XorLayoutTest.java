package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: the layout that other tools of the family read. */
class XorLayoutTest {
  @Test
  void cutsTheSegmentsOfThePublishedExample() {
    assertThat(XorLayout.of(4, 524297).chunkBytes()).isEqualTo(174766);
  }

  @Test
  void holdsTheLargestMemberWithLessThanOneSegmentsPaddingPerMember() {
    for (int members = 2; members <= 9; members++) {
      for (long largest = 0; largest <= 100; largest++) {
        long chunk = XorLayout.of(members, largest).chunkBytes();
        assertThat(chunk * (members - 1)).isBetween(largest, largest + members - 2);
      }
    }
  }

  @Test
  void fillsAllSlotsButTheOwnInOrder() {
    for (int members = 2; members <= 9; members++) {
      var layout = XorLayout.of(members, 1000);
      for (int member = 0; member < members; member++) {
        int me = member;
        int[] slots = IntStream.range(0, members).filter(slot -> slot != me).toArray();
        for (int segment = 0; segment < members - 1; segment++) {
          assertThat(layout.segmentAt(member, slots[segment])).isEqualTo(segment);
          assertThat(layout.slotOf(member, segment)).isEqualTo(slots[segment]);
          assertThat(layout.offset(member, slots[segment])).isEqualTo(segment * layout.chunkBytes());
        }
        assertThatThrownBy(() -> layout.offset(me, me)).isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void countsTheBytesThatAreNotPadding() {
    var layout = new XorLayout(4, 10);
    for (long logical = 0; logical <= 30; logical++) {
      long sum = layout.bytesIn(0, logical) + layout.bytesIn(1, logical) + layout.bytesIn(2, logical);
      assertThat(sum).isEqualTo(logical);
    }
    assertThat(layout.bytesIn(0, 7)).isEqualTo(7);
    assertThat(layout.bytesIn(1, 7)).isZero();
    assertThat(layout.bytesIn(1, 13)).isEqualTo(3);
  }

  @Test
  void needsTwoMembers() {
    assertThatThrownBy(() -> XorLayout.of(1, 10)).isInstanceOf(IllegalArgumentException.class);
  }
}
