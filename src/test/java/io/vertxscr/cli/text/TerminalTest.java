package io.vertxscr.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Names;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: escape sequences go to terminals whose users want them, and hold nothing of names. */
class TerminalTest {
  private static final String HOSTILE = "\u001b]0;x\u0007\u009b2J\n";

  @Test
  void coloursAreForTerminalsWhoseUsersWantThem() {
    assertThat(Terminal.of(Map.of("TERM", "xterm"), true)).isEqualTo(new Terminal(true, true));
    assertThat(Terminal.of(Map.of("TERM", "xterm", "NO_COLOR", ""), true)).isEqualTo(new Terminal(true, true));
    assertThat(Terminal.of(Map.of("TERM", "xterm", "NO_COLOR", "1"), true)).isEqualTo(new Terminal(true, false));
    for (Map<String, String> none : List.of(Map.of("TERM", "dumb"), Map.<String, String>of())) {
      assertThat(Terminal.of(none, true)).isEqualTo(new Terminal(false, false));
    }
    assertThat(Terminal.of(Map.of("TERM", "xterm"), false)).isEqualTo(new Terminal(false, false));
  }

  @Test
  void aLineHasTheSequencesOfItsPaintsAndNoOthers() {
    StyledLine line = StyledLine.of("a ").and(Paint.ALARM, HOSTILE).and(Paint.PLAIN, HOSTILE);
    assertThat(line.coloured()).isEqualTo("a \u001b[31;1m\\u001b]0;x\\u0007\\u009b2J\\u000a\u001b[0m"
        + "\\u001b]0;x\\u0007\\u009b2J\\u000a");
    assertThat(new Terminal(true, false).text(line)).isEqualTo(line.plain()).doesNotContain("\u001b");
    assertThat(new Terminal(true, true).text(line)).isEqualTo(line.coloured());
  }

  @Test
  void aLineIsCutToItsColumnsWithoutItsSequences() {
    StyledLine line = StyledLine.of(Paint.GOOD, "12345").and(Paint.ALARM, "67890");
    for (int columns = 2; columns < 10; columns++) {
      assertThat(line.cut(columns).plain()).hasSize(columns).endsWith("..")
          .startsWith("1234567890".substring(0, columns - 2));
    }
    assertThat(line.cut(10)).isEqualTo(line);
    assertThat(line.cut(8).coloured()).isEqualTo("\u001b[32m12345\u001b[0m\u001b[31;1m6\u001b[0m..");
  }

  @Test
  void aSentenceIsWrappedAtSpacesAndKeepsEveryWord() {
    assertThat(StyledLine.wrapped("no room in /dev/shm: use a larger store", 20))
        .containsExactly("no room in /dev/shm:", "use a larger store");
    assertThat(StyledLine.wrapped("see /a/path/that/is/long", 10))
        .containsExactly("see", "/a/path/th", "at/is/long");
    assertThat(StyledLine.wrapped("", 10)).containsExactly("");
    String text = "some words, some of them longer-than-others: " + HOSTILE;
    for (int columns = 1; columns < 80; columns++) {
      int most = columns;
      assertThat(StyledLine.wrapped(text, columns)).allMatch(line -> line.length() <= most);
      assertThat(String.join("", StyledLine.wrapped(text, columns)).replace(" ", ""))
          .isEqualTo(Names.printable(text).replace(" ", ""));
    }
  }
}
