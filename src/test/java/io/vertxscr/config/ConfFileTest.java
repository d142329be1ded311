package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: what is written in a file is what is read, and what cannot be read is named by file and line. */
class ConfFileTest {
  private static final String FILE = "/etc/scr.conf";

  @Test
  void linesKeepTheirNumbersAndPairsTheirOrder() {
    ConfFile read = ConfFile.parse(FILE, List.of(
        "# a comment", "", "SCR_FLUSH=3  # another", "  CKPT=0 INTERVAL=1 TYPE=XOR", "A=\"two words\" B=", "C=x#y"));

    assertThat(read.lines()).containsExactly(
        new ConfFile.Line(3, List.of(new ConfFile.Pair("SCR_FLUSH", "3"))),
        new ConfFile.Line(4, List.of(
            new ConfFile.Pair("CKPT", "0"), new ConfFile.Pair("INTERVAL", "1"), new ConfFile.Pair("TYPE", "XOR"))),
        new ConfFile.Line(5, List.of(new ConfFile.Pair("A", "two words"), new ConfFile.Pair("B", ""))),
        new ConfFile.Line(6, List.of(new ConfFile.Pair("C", "x#y"))));
  }

  @Test
  void spacesMayStandBesideTheSignAndWhatLooksLikeThePairBehindThemIsOne() {
    ConfFile read = ConfFile.parse(FILE, List.of("A = 1", "A= 1 B =2 # three", "A = \"two words\"", "A= B=1",
        "A = B = 1", "A = # none", "A\t=\t1"));

    assertThat(read.lines()).extracting(ConfFile.Line::pairs).containsExactly(
        List.of(new ConfFile.Pair("A", "1")),
        List.of(new ConfFile.Pair("A", "1"), new ConfFile.Pair("B", "2")),
        List.of(new ConfFile.Pair("A", "two words")),
        List.of(new ConfFile.Pair("A", ""), new ConfFile.Pair("B", "1")),
        List.of(new ConfFile.Pair("A", ""), new ConfFile.Pair("B", "1")),
        List.of(new ConfFile.Pair("A", "")),
        List.of(new ConfFile.Pair("A", "1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCR_FLUSH", "SCR_FLUSH 3",
      "=3", "1A=3", "A=1 stray", "A=\"open", "A=\"x\"y", "A-B=1", "A=x\"y"})
  void aLineThatIsNoListOfPairsIsRefusedWithItsNumber(String line) {
    assertThatThrownBy(() -> ConfFile.parse(FILE, List.of("", line)))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining("/etc/scr.conf line 2: expected KEY=VALUE");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> ConfText.read(Path.of("/no/such/file")))
        .isInstanceOf(ScrException.class).hasMessageContaining("/no/such/file");
  }
}
