package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.ScrException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a node obeys one leadership, that of the node that leads. Method: the messages of several, in any order. */
class EpochTest {
  private String leader = "n1";
  private final Epoch epoch = new Epoch(new Membership() {
    @Override
    public NodeInfo self() {
      return new NodeInfo("n3", "host", "127.0.0.1", 1);
    }

    @Override
    public List<NodeInfo> nodes() {
      return List.of(new NodeInfo(leader, "host", "127.0.0.1", 1));
    }

    @Override
    public void listen(Listener listener) {
      // The test says who leads.
    }
  });

  private void refused(String text, Fault fault) {
    assertThatThrownBy(() -> epoch.admit(text)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(fault));
  }

  @Test
  void anotherLeadershipIsRefusedWhateverItsNumber() {
    epoch.follow(5, "n1/a");
    epoch.admit("5 n1/a");
    for (String other : List.of("5 n2/b", "6 n2/b", Long.MAX_VALUE + " n2/b", "5 n1/b", "6 n1/b", "6 n1")) {
      refused(other, Fault.NOT_LEADER);
    }
    assertThat(epoch.value()).isEqualTo(5);
    epoch.admit("7 n1/a");
    assertThat(epoch.value()).isEqualTo(7);
  }

  /** Daemons that share one key can write each other's stamp, and all know the name of the leadership. */
  @Test
  void aNumberThatAnotherHasRaisedHasNoMessageOfTheLeaderRefused() {
    epoch.follow(5, "n1/a");
    epoch.admit(Long.MAX_VALUE + " n1/a");
    epoch.admit("5 n1/a");
  }

  @Test
  void numbersThatMembersTellLeaveRoomForLaterLeaderships() {
    for (int i = 0; i < 1000; i++) {
      long before = epoch.value();
      leader = "n1";
      epoch.follow(Long.MAX_VALUE - i, "n1/a");
      epoch.hear(Long.MAX_VALUE);
      epoch.hear(Long.MIN_VALUE);
      leader = "n3";
      epoch.lead("n3/" + i);
      assertThat(epoch.value()).isBetween(before + 1, before + 3 * Epoch.MAX_STEP);
      epoch.admit(epoch.text("n3/" + i));
    }
    assertThat(epoch.value()).isLessThan(Epoch.MAX_NUMBER / 1000);
  }

  @Test
  void atTheEndOfTheNumbersLeadersAreObeyedAllTheSame() {
    for (long lies = 0; lies <= Epoch.MAX_NUMBER / Epoch.MAX_STEP; lies++) {
      epoch.hear(Long.MAX_VALUE);
    }
    for (String next : List.of("n1/a", "n1/b")) {
      epoch.lead(next);
      assertThat(epoch.text(next)).isEqualTo(Epoch.MAX_NUMBER + " " + next);
      epoch.admit(epoch.text(next));
    }
  }

  @Test
  void noLeadershipIsFollowedBeforeItsTakeover() {
    refused("1 n1/a", Fault.NOT_LEADER);
    epoch.follow(1, "n1/a");
    epoch.admit("1 n1/a");
  }

  @Test
  void onlyTheNodeThatLeadsTakesOver() {
    for (String other : List.of("n2/b", "n11/b", "n1", "", "/n1/b")) {
      assertThatThrownBy(() -> epoch.follow(9, other)).as(other).isInstanceOfSatisfying(ScrException.class,
          e -> assertThat(e.fault()).isEqualTo(Fault.NOT_LEADER));
    }
    assertThat(epoch.value()).isZero();
  }

  @Test
  void aLeaderThatDoesNotLeadAnyMoreIsRefusedBeforeTheNextOneHasTakenOver() {
    epoch.follow(5, "n1/a");
    leader = "n2";
    refused("5 n1/a", Fault.NOT_LEADER);
  }

  @Test
  void aNodeThatHasAnsweredATakeoverRefusesTheEarlierLeaderAtItsOwnNumber() {
    epoch.follow(5, "n1/a");
    leader = "n2";
    epoch.follow(3, "n2/b");
    refused("5 n1/a", Fault.NOT_LEADER);
    leader = "n1";
    refused("5 n1/a", Fault.NOT_LEADER);
    leader = "n2";
    epoch.admit("6 n2/b");
  }

  @Test
  void whoHearsOfAnotherLeadershipDoesNotLeadAnyMore() {
    assertThat(epoch.leads()).isFalse();
    epoch.hear(4);
    epoch.lead("n1/a");
    assertThat(epoch.text("n1/a")).isEqualTo("5 n1/a");
    leader = "n2";
    epoch.follow(5, "n2/b");
    assertThat(epoch.leads()).isFalse();
    assertThatThrownBy(() -> epoch.text("n1/a")).isInstanceOf(ScrException.class);
    leader = "n1";
    epoch.lead("n1/c");
    assertThatThrownBy(() -> epoch.text("n1/a")).as("messages of the leadership before")
        .isInstanceOf(ScrException.class);
  }

  @Test
  void aMessageWithoutAnEpochIsRefused() {
    refused("", Fault.BAD_REQUEST);
    refused("n1/a", Fault.BAD_REQUEST);
    refused("x n1/a", Fault.BAD_REQUEST);
    refused("99999999999999999999 n1/a", Fault.BAD_REQUEST);
  }
}
