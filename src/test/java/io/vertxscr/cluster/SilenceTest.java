package io.vertxscr.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Goal: who leaves the pulses of 30 s unanswered is silent, until it answers. Method: pulses and answers in order. */
class SilenceTest {
  private static final int LIMIT = (int) (Silence.LIMIT_MS / Silence.PULSE_MS);
  private final Silence node = new Silence("n3");

  private void ask(int times) {
    for (int i = 0; i < times; i++) {
      node.asked();
    }
  }

  @Test
  void aLoopThatDoesNotAnswerIsNamedAfterItsLastPulseAndNotBefore() {
    ask(LIMIT - 1);
    assertThat(node.of()).isEmpty();
    node.heard();
    ask(LIMIT - 1);
    assertThat(node.of()).as("since its last answer").isEmpty();
    ask(1);
    assertThat(node.of()).hasValueSatisfying(why -> assertThat(why).contains("node n3", "30 s"));
    assertThat(node.ofLoop()).isEqualTo(node.of());
    node.heard(0);
    assertThat(node.of()).isEmpty();
  }

  @Test
  void aStorageThatDoesNotAnswerIsToldFromALoopThatDoesNot() {
    node.heard(Silence.LIMIT_MS - 1);
    assertThat(node.of()).isEmpty();
    node.heard(Silence.LIMIT_MS);
    assertThat(node.of()).hasValueSatisfying(why -> assertThat(why).contains("storage of node n3", "30 s"));
    assertThat(node.ofLoop()).isEmpty();
    node.heard();
    assertThat(node.of()).as("an answer that says nothing of the storage").isPresent();
    node.heard(0);
    assertThat(node.of()).isEmpty();
  }
}
