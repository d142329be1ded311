package io.vertxscr.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AddressesTest {
  @Test
  void everyVerbOfANodeIsFoundAtItsAddressAndNowhereElse() {
    for (String node : new String[] {"n1", "n1.example.org", "scr.x", "init"}) {
      for (Verb verb : Verb.values()) {
        assertThat(Addresses.verbAt(node, Addresses.of(node, verb))).contains(verb);
        assertThat(Addresses.verbAt(node, Addresses.ofSocketOwner(verb))).contains(verb);
        assertThat(Addresses.verbAt(node, Addresses.of("n2", verb))).isEmpty();
        assertThat(Addresses.verbAt(node, Addresses.of(node + ".x", verb))).isEmpty();
      }
    }
    for (String bad : new String[] {"", ".", "scr", "scr.", "scr.n1", "scr.n1.", "scr.init", "scr..init", "scr.n1.rebuild",
        "SCR.n1.init", "scr.n1.init ", "xscr.n1.init", Addresses.EVENTS}) {
      assertThat(Addresses.verbAt("n1", bad)).as(bad).isEqualTo(Optional.empty());
    }
  }

  @Test
  void aSocketPathOfOneByteTooManyIsRefusedWithItsLength() {
    Path longest = Path.of("/" + "s".repeat(106));
    assertThat(Addresses.socket(longest)).isEqualTo(longest);
    assertThatThrownBy(() -> Addresses.socket(Path.of("/" + "s".repeat(107))))
        .isInstanceOf(ScrException.class).hasMessageContaining("108 bytes").hasMessageContaining("107");
  }
}
