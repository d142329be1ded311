package io.vertxscr.cluster.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Defects;
import io.vertxscr.model.Limits;
import java.io.ByteArrayOutputStream;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Goal: packets up to the bound pass, the first longer one does not. Method: streams cut into pieces everywhere. */
class PacketBoundTest {
  private static final byte[] HZC = "HZC".getBytes(StandardCharsets.US_ASCII);

  private static void packet(ByteArrayOutputStream stream, int length, int payloadBytes) {
    stream.writeBytes(ByteBuffer.allocate(11).put((byte) 4).putChar('\0').putInt(7).putInt(length).array());
    stream.writeBytes(new byte[payloadBytes]);
  }

  /** A stream of packets of these lengths. */
  private static byte[] stream(int... lengths) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    stream.writeBytes(HZC);
    for (int length : lengths) {
      packet(stream, length, length);
    }
    return stream.toByteArray();
  }

  private static void refused(PacketBound bound, byte[] bytes, String why) {
    assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> bound.pass(ByteBuffer.wrap(bytes)))
        .withMessageContaining(why);
  }

  @Test
  void packetsPassWhereverTheStreamIsCut() throws ProtocolException {
    byte[] stream = stream(0, 5, 1, 0, 300, 2);
    for (int first = 0; first <= stream.length; first++) {
      PacketBound bound = new PacketBound();
      ByteBuffer all = ByteBuffer.wrap(stream);
      bound.pass(all.slice(0, first));
      bound.pass(all.slice(first, stream.length - first));
      refused(bound, header(Integer.MAX_VALUE), "a packet of 2147483647 bytes");
    }
    PacketBound byteByByte = new PacketBound();
    for (byte one : stream) {
      byteByByte.pass(ByteBuffer.wrap(new byte[] {one}));
    }
    refused(byteByByte, header(-1), "a packet of 4294967295 bytes");
  }

  private static byte[] header(int length) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    packet(stream, length, 0);
    return stream.toByteArray();
  }

  @Test
  void theBoundItselfPasses() throws ProtocolException {
    PacketBound bound = new PacketBound();
    bound.pass(ByteBuffer.wrap(HZC));
    bound.pass(ByteBuffer.wrap(header(Limits.MAX_CLUSTER_PACKET_BYTES)));
    bound.pass(ByteBuffer.wrap(new byte[Limits.MAX_CLUSTER_PACKET_BYTES]));
    refused(bound, header(Limits.MAX_CLUSTER_PACKET_BYTES + 1), "at most");
  }

  @Test
  void theBytesStayWhatTheyAre() throws ProtocolException {
    ByteBuffer bytes = ByteBuffer.wrap(stream(9, new Random(1).nextInt(50)));
    int remaining = bytes.remaining();
    new PacketBound().pass(bytes);
    assertThat(bytes.remaining()).isEqualTo(remaining);
  }

  /** As many as {@code -Dscr.frames} says. The whole stream is read by another reader, to compare. */
  @Test
  void ofStreamsWithSeededDefectsWhatIsNoneIsRefusedWhereverTheyAreCut() {
    int frames = Integer.getInteger("scr.frames", 20_000);
    long seed = Long.getLong("seed", 1);
    List<Part> good = List.of(Part.of(HZC), packet(0), packet(5), packet(300), packet(1));
    Defects hostile = new Defects(List.of(good, good.subList(0, 3)), seed);
    Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < frames; i++) {
      byte[] stream = hostile.next();
      boolean passes = true;
      try {
        PacketBound bound = new PacketBound();
        for (int at = 0; at < stream.length; ) {
          int some = Math.min(stream.length - at, 1 + random.nextInt(100));
          bound.pass(ByteBuffer.wrap(stream, at, some));
          at += some;
        }
      } catch (ProtocolException _) {
        passes = false;
      }
      assertThat(passes).as("seed %d, stream %d", seed, i).isEqualTo(isOfPackets(ByteBuffer.wrap(stream)));
      refused += passes ? 0 : 1;
    }
    assertThat(refused).isBetween(frames / 10, frames * 9 / 10);
  }

  private static Part packet(int bytes) {
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet(packet, bytes, bytes);
    return Part.of(packet.toByteArray(), 7);
  }

  /** Whether it is the beginning of a stream of packets within the bound. */
  private static boolean isOfPackets(ByteBuffer stream) {
    byte[] protocol = new byte[HZC.length];
    if (stream.remaining() < protocol.length) {
      return true;
    }
    stream.get(protocol);
    while (Arrays.equals(protocol, HZC) && stream.remaining() >= 11) {
      int length = stream.getInt(stream.position() + 7);
      if (length < 0 || length > Limits.MAX_CLUSTER_PACKET_BYTES) {
        return false;
      }
      stream.position(Math.min(stream.limit(), stream.position() + 11 + length));
    }
    return Arrays.equals(protocol, HZC);
  }

  @Test
  void anotherProtocolIsRefused() {
    for (String other : new String[] {"CP2", "GET", "HZX", "\0\0\0"}) {
      refused(new PacketBound(), other.getBytes(StandardCharsets.US_ASCII), "protocol of members");
    }
  }
}
