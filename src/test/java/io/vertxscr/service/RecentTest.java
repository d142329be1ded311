package io.vertxscr.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: what was put last is known, as much as there may be, and nothing before it. */
class RecentTest {
  private final Recent<String, Integer> recent = new Recent<>(2);

  private String known() {
    return String.join("", IntStream.of('a', 'b', 'c').mapToObj(Character::toString)
        .map(key -> recent.get(key).map(value -> key + value).orElse("")).toList());
  }

  @Test
  void theLastOnesAreKnown() {
    recent.put("a", 1);
    recent.put("b", 2);
    assertThat(known()).isEqualTo("a1b2");
    recent.put("c", 3);
    assertThat(known()).isEqualTo("b2c3");
  }

  @Test
  void oneThatIsPutAgainIsTheLastOne() {
    recent.put("a", 1);
    recent.put("b", 2);
    recent.put("a", 4);
    recent.put("c", 3);
    assertThat(known()).isEqualTo("a4c3");
  }

  @Test
  void whatIsRemovedMakesRoom() {
    recent.put("a", 1);
    recent.put("b", 2);
    recent.remove("b");
    recent.put("c", 3);
    assertThat(known()).isEqualTo("a1c3");
  }

  @Test
  void roomForNothingIsRefused() {
    assertThatThrownBy(() -> new Recent<>(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
