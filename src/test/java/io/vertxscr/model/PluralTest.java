package io.vertxscr.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PluralTest {
  @Test
  void oneThingHasNoPlural() {
    assertThat(Plural.of(1, "node")).isEqualTo("1 node");
    assertThat(Plural.of(0, "node")).isEqualTo("0 nodes");
  }

  @Test
  void whatIsNotNamedIsCounted() {
    assertThat(Plural.list(List.of(), 2)).isEmpty();
    assertThat(Plural.list(List.of(1, 2), 2)).isEqualTo("1, 2");
    assertThat(Plural.list(List.of(1, 2, 3), 2)).isEqualTo("1, 2 and 1 more");
    assertThat(Plural.list(List.of(1, 2), 2, 9)).isEqualTo("1, 2 and 7 more");
  }
}
