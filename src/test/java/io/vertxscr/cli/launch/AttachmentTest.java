package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import io.vertxscr.model.ScrException;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Goal: launcher and daemon understand each other, and a daemon that was started wrongly says so. */
class AttachmentTest {
  private static Attachment read(String text) {
    return Attachment.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void theFirstLineCarriesSecretAndMembers() {
    byte[] secret = {0, -1, 16, 127};
    Attachment attachment =
        read(Attachment.header(secret, List.of("n1:5701", "n2:5701"), Map.of("SCR_FLUSH", "10")) + "\n");
    assertThat(attachment.over(Map.of("SCR_FLUSH", "1", "HOME", "/h")))
        .isEqualTo(Map.of("SCR_FLUSH", "10", "HOME", "/h"));
    assertThat(attachment.secret()).isEqualTo(secret);
    assertThat(attachment.members()).containsExactly("n1:5701", "n2:5701");
  }

  @Test
  void pingIsAnsweredAndAnEndFromOutsideHeardOfUntilThePipeEnds() {
    StringWriter out = new StringWriter();
    LauncherPipe pipe = new LauncherPipe(new PrintWriter(out));
    AtomicInteger ended = new AtomicInteger();
    read(Attachment.header(new byte[] {1}, List.of(), Map.of()) + "\nping\nwhatever\nended from outside\nping\n")
        .follow(pipe, () -> Set.of("n1", "n2"), ended::incrementAndGet);
    pipe.close(Duration.ofMinutes(1));
    assertThat(ended).hasValue(1);
    assertThat(out.toString().lines()).hasSize(2)
        .allSatisfy(line -> assertThat(Attachment.membersOf(line)).containsExactlyInAnyOrder("n1", "n2"));
  }

  @Test
  void everyTruncationOfTheFirstLineIsRefused() {
    String header = Attachment.header(new byte[] {1, 2, 3}, List.of("n1:1"), Map.of());
    for (int length = 0; length < header.length(); length++) {
      String part = header.substring(0, length);
      assertThatThrownBy(() -> read(part + "\n")).as(part).isInstanceOf(ScrException.class)
          .hasMessageContaining("--attached");
    }
    for (String wrong : List.of("{}", "[]", "{\"secret\":1,\"members\":[]}", "{\"secret\":\"0\",\"members\":[]}",
        "{\"secret\":\"00\",\"members\":[1]}", "{\"secret\":\"00\"}")) {
      assertThatThrownBy(() -> read(wrong)).as(wrong).isInstanceOf(ScrException.class);
    }
  }

  @Test
  void anEventIsALine() {
    assertThat(Attachment.line(new JsonObject().put("cause", "a\nb"))).isEqualTo("event {\"cause\":\"a\\nb\"}");
  }
}
