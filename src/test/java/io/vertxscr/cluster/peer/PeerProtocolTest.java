package io.vertxscr.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.redundancy.range.RangeRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Goal: the bytes on the wire are those of docs/formats/peer-protocol.md. */
class PeerProtocolTest {
  @Test
  void aRequestHasTheBytesOfItsDocumentation() {
    ByteBuffer bytes = ByteBuffer.allocate(PeerProtocol.REQUEST_BYTES);
    PeerProtocol.putRequest(bytes, 9,
        new RangeRequest("n1", 7, 3, RangeRequest.RangeKind.REDUNDANCY, 0x1_0000_0002L, 5));
    assertThat(HexFormat.of().formatHex(bytes.array())).isEqualTo(
        "53435250" + "00000009" + "01" + "02" + "0000" + "00000007" + "00000003"
            + "0000000100000002" + "0000000000000005");
    assertThat(PeerProtocol.getRequest(bytes.flip()))
        .isEqualTo(new PeerProtocol.Request(9, 7, 3, RangeRequest.RangeKind.REDUNDANCY, 0x1_0000_0002L, 5));
  }

  @Test
  void aHeadHasTheBytesOfItsDocumentation() {
    ByteBuffer bytes = ByteBuffer.allocate(PeerProtocol.HEAD_BYTES);
    PeerProtocol.putHead(bytes, new PeerProtocol.Head(9, 4, 0, 19, 258));
    assertThat(HexFormat.of().formatHex(bytes.array()))
        .isEqualTo("53435250" + "00000009" + "00000004" + "00000000" + "0013" + "0102");
    assertThat(PeerProtocol.getHead(bytes.flip())).isEqualTo(new PeerProtocol.Head(9, 4, 0, 19, 258));
  }

  @Test
  void aMessageThatIsTooLongIsCutBehindAWholeCharacter() {
    for (int front = 0; front < 4; front++) {
      String message = "x".repeat(front) + "\uD83D\uDE80".repeat(PeerProtocol.MAX_TEXT_BYTES);
      ByteBuffer text = PeerProtocol.text(message);
      assertThat(text.remaining()).isBetween(PeerProtocol.MAX_TEXT_BYTES - 3, PeerProtocol.MAX_TEXT_BYTES);
      assertThat(message).startsWith(StandardCharsets.UTF_8.decode(text).toString());
    }
  }
}
