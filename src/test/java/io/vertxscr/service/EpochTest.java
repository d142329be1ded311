package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import org.junit.jupiter.api.Test;

/** Goal: of two leaderships with one number, a node obeys one. Method: the messages of both, in either order. */
class EpochTest {
  private final Epoch epoch = new Epoch();

  private void refused(String text, Fault fault) {
    assertThatThrownBy(() -> epoch.admit(text)).isInstanceOfSatisfying(ScrException.class,
        e -> assertThat(e.fault()).isEqualTo(fault));
  }

  @Test
  void anotherLeadershipWithTheSameNumberIsRefusedAndAHigherOneIsNot() {
    epoch.admit("5 n1/a");
    epoch.admit("5 n1/a");
    refused("5 n2/b", Fault.NOT_LEADER);
    refused("4 n1/a", Fault.NOT_LEADER);
    epoch.admit("6 n2/b");
    refused("5 n1/a", Fault.NOT_LEADER);
    refused("6 n1/a", Fault.NOT_LEADER);
    assertThat(epoch.value()).isEqualTo(6);
  }

  @Test
  void aNodeThatHasAnsweredATakeoverRefusesTheEarlierLeaderAtItsOwnNumber() {
    epoch.admit("5 n1/a");
    epoch.follow(3, "n2/b");
    refused("5 n1/a", Fault.NOT_LEADER);
    epoch.admit("6 n2/b");
  }

  @Test
  void whoHearsOfAnotherLeadershipDoesNotLeadAnyMore() {
    assertThat(epoch.leads()).isFalse();
    epoch.lead(5, "n1/a");
    assertThat(epoch.text("n1/a")).isEqualTo("5 n1/a");
    epoch.follow(5, "n2/b");
    assertThat(epoch.leads()).isFalse();
    assertThatThrownBy(() -> epoch.text("n1/a")).isInstanceOf(ScrException.class);
    epoch.lead(7, "n1/c");
    assertThatThrownBy(() -> epoch.text("n1/a")).as("messages of the leadership before")
        .isInstanceOf(ScrException.class);
  }

  @Test
  void aMessageWithoutAnEpochIsRefused() {
    refused("", Fault.BAD_REQUEST);
    refused("n1/a", Fault.BAD_REQUEST);
    refused("x n1/a", Fault.BAD_REQUEST);
  }
}
