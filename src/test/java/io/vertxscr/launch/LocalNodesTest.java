package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.ScrException;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: one machine plays nodes only where somebody asks for it, and then as many as asked for. */
class LocalNodesTest {
  @Test
  void withoutAWishTheResourceManagerIsAsked() {
    assertThat(new LocalNodes(Optional.empty(), 0).daemons()).isEmpty();
  }

  @Test
  void sparesComeBesideTheNodesThatAreUsed() {
    LocalNodes three = new LocalNodes(Optional.of(3), 2);
    assertThat(three.used()).isEqualTo(3);
    assertThat(three.daemons()).isEqualTo(OptionalInt.of(5));
    assertThat(new LocalNodes(Optional.empty(), 1).daemons()).as("one node and its spare").isEqualTo(OptionalInt.of(2));
  }

  @Test
  void lessThanOneNodeAndFewerThanNoSparesAreRefused() {
    assertThatThrownBy(() -> new LocalNodes(Optional.of(0), 0)).isInstanceOf(ScrException.class)
        .hasMessage("--nodes 0 --spares 0: at least one node, and no fewer than no spares");
    assertThatThrownBy(() -> new LocalNodes(Optional.of(1), -1)).isInstanceOf(ScrException.class)
        .hasMessageContaining("--spares -1");
    assertThatThrownBy(() -> new LocalNodes(Optional.empty(), -1)).as("nobody has said how many nodes")
        .hasMessageStartingWith("--spares -1: at least one node");
  }
}
