package io.vertxscr.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: the layout that other tools of the family read. */
class ParityLayoutTest {
  @Test
  void cutsTheSegmentsOfThePublishedExample() {
    assertThat(ParityLayout.of(4, 1, 524297).chunkBytes()).isEqualTo(174766);
  }

  @Test
  void holdsTheLargestMemberWithLessThanOneSegmentsPaddingPerMember() {
    for (int members = 2; members <= 9; members++) {
      for (long largest = 0; largest <= 100; largest++) {
        long chunk = ParityLayout.of(members, 1, largest).chunkBytes();
        assertThat(chunk * (members - 1)).isBetween(largest, largest + members - 2);
      }
    }
  }

  @Test
  void fillsAllSlotsButTheOwnInOrder() {
    for (int members = 2; members <= 9; members++) {
      var layout = ParityLayout.of(members, 1, 1000);
      for (int member = 0; member < members; member++) {
        int me = member;
        int[] slots = IntStream.range(0, members).filter(slot -> slot != me).toArray();
        for (int segment = 0; segment < members - 1; segment++) {
          assertThat(layout.segmentAt(member, slots[segment])).isEqualTo(segment);
          assertThat(layout.stripeAt(member, segment)).isEqualTo(slots[segment]);
          assertThat(layout.offset(member, slots[segment])).isEqualTo(segment * layout.chunkBytes());
        }
        assertThatThrownBy(() -> layout.offset(me, me)).isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void countsTheBytesThatAreNotPadding() {
    var layout = new ParityLayout(4, 1, 10);
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
    assertThatThrownBy(() -> ParityLayout.of(1, 1, 10)).isInstanceOf(IllegalArgumentException.class);
  }

  /** The drawing in docs/formats/redundancy.md, as far as it goes. Rows of parity as negative numbers minus one. */
  @Test
  void standsLikeThePictureForTwoFailures() {
    var layout = ParityLayout.of(5, 2, 30);
    int[][] picture = {{-1, 0, 1, 2, -2}, {-2, -1, 0, 1, 2}, {0, -2, -1, 1, 2}, {0, 1, -2, -1, 2}, {0, 1, 2, -2, -1}};
    for (int member = 0; member < 5; member++) {
      for (int stripe = 0; stripe < 5; stripe++) {
        boolean data = layout.hasData(member, stripe);
        assertThat(data ? layout.segmentAt(member, stripe) : -layout.rowAt(member, stripe) - 1)
            .as("member %d stripe %d", member, stripe).isEqualTo(picture[member][stripe]);
      }
    }
  }

  @Test
  void everyMemberHasItsSegmentsAndEveryStripeItsRowsOnce() {
    for (int members = 2; members <= 9; members++) {
      for (int failures = 1; failures < members; failures++) {
        var layout = ParityLayout.of(members, failures, 1000);
        assertThat(layout.chunkBytes() * (members - failures)).isBetween(1000L, 1000L + members - failures - 1);
        for (int member = 0; member < members; member++) {
          for (int segment = 0; segment < members - failures; segment++) {
            assertThat(layout.segmentAt(member, layout.stripeAt(member, segment))).isEqualTo(segment);
          }
          for (int row = 0; row < failures; row++) {
            int stripe = layout.stripeOf(member, row);
            assertThat(layout.holder(stripe, row)).isEqualTo(member);
            assertThat(layout.rowAt(member, stripe)).isEqualTo(row);
            assertThat(layout.hasData(member, stripe)).isFalse();
          }
        }
      }
    }
  }

  @Test
  void needsMoreMembersThanFailures() {
    assertThatThrownBy(() -> ParityLayout.of(3, 3, 10)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ParityLayout.of(3, 0, 10)).isInstanceOf(IllegalArgumentException.class);
  }
}
