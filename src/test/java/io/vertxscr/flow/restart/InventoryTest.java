package io.vertxscr.flow.restart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: an inventory is the same text in every process, so that a simulation replays. Method: many
 * directories, whose order in a set of the JDK differs from process to process.
 */
class InventoryTest {
  @Test
  void listsDirectoriesInTheSameOrderInEveryProcess() {
    assertThat(new Inventory("n1", List.of(), Set.of("/h", "/c", "/a", "/f", "/b", "/g", "/e", "/d")).prefixes())
        .containsExactly("/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h");
  }
}
