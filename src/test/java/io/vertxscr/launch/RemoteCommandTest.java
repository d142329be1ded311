package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: a word of a command is that word on the other host, and a host's name is never anything else. */
class RemoteCommandTest {
  private static final List<String> HOSTILE = List.of("q;touch injected;#", "$(touch injected)", "`touch injected`",
      "a b", "it's", "a\nb", "", "-oProxyCommand=x", "~", "*", "\\", "a&b", "\"", "{a,b}", "[ab]", "!1", "é");

  @TempDir
  private Path temp;

  /** Method: a shell reads the words, as sshd has it done. */
  @Test
  void everyWordArrivesAsItIsThroughAShell() throws Exception {
    for (String word : HOSTILE) {
      List<String> line = RemoteCommand.line("ssh -- {host}", "n1", List.of("printf", "%s", word));
      assertThat(line.subList(0, 3)).containsExactly("ssh", "--", "n1");
      Process shell = new ProcessBuilder("sh", "-c", String.join(" ", line.subList(3, line.size())))
          .directory(temp.toFile()).start();
      assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(word);
      assertThat(shell.waitFor()).isZero();
    }
    try (var left = Files.list(temp)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void whatHasNoShellGetsTheWordsAsTheyAre() {
    List<String> line = RemoteCommand.line("srun --nodelist={host}", "n1", HOSTILE);
    assertThat(line.subList(0, 2)).containsExactly("srun", "--nodelist=n1");
    assertThat(line.subList(2, line.size())).isEqualTo(HOSTILE);
  }

  @Test
  void ofAnUnknownCommandOnlyWordsAreTakenThatMeanTheSameInAnyCase() {
    assertThat(RemoteCommand.line("/opt/reach {host} now", "n1", List.of("scr", "copy", "--prefix", "/p/x_1")))
        .containsExactly("/opt/reach", "n1", "now", "scr", "copy", "--prefix", "/p/x_1");
    assertThatThrownBy(() -> RemoteCommand.line("/opt/reach {host}", "n1", List.of("q;touch injected;#")))
        .isInstanceOfSatisfying(ScrException.class, refused ->
            assertThat(refused.fault()).isEqualTo(Fault.BAD_CONFIGURATION));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-oProxyCommand=touch injected", "n1;touch injected", "n1 n2", "", "n1\n", "$(x)", "-",
      "a/b"})
  void whatIsNoHostIsRefused(String host) {
    assertThatThrownBy(() -> RemoteCommand.line("ssh -- {host}", host, List.of("true")))
        .isInstanceOf(ScrException.class).hasMessageContaining("cannot name a node");
  }
}
