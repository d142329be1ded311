package io.vertxscr.cluster.tls;

import io.vertxscr.model.Limits;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A bound of the packets that a member sends, held before Hazelcast sees them. That makes room for a whole packet as
 * soon as it has read its length. Follows the stream of one connection:
 * <pre>
 *   'H' 'Z' 'C'                     once: the protocol of members; that of clients, or text, is refused
 *   u8 version, u16 flags,
 *   u32 partition, u32 length       11 bytes, big-endian
 *   payload                         length bytes
 *   ...                             the next packet
 * </pre>
 * On the input thread of the connection.
 */
final class PacketBound {
  private static final byte[] PROTOCOL = "HZC".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_BYTES = 11;
  private static final int LENGTH_OFFSET = 7;

  /** What is being read: first the protocol, then the header of a packet. */
  private ByteBuffer head = ByteBuffer.allocate(PROTOCOL.length);
  private boolean begun;
  /** Bytes of the payload that are still to come. */
  private int payload;

  /**
   * Follows the next bytes of the stream, which stay what they are.
   *
   * @throws ProtocolException where a packet is too long, or it is no stream of packets
   */
  void pass(ByteBuffer bytes) throws ProtocolException {
    int at = bytes.position();
    while (at < bytes.limit()) {
      int some = Math.min(bytes.limit() - at, payload > 0 ? payload : head.remaining());
      if (payload > 0) {
        payload -= some;
      } else {
        head.put(bytes.slice(at, some));
        if (!head.hasRemaining()) {
          read();
        }
      }
      at += some;
    }
  }

  private void read() throws ProtocolException {
    if (!begun) {
      if (!Arrays.equals(head.array(), PROTOCOL)) {
        throw new ProtocolException("it does not speak the protocol of members");
      }
      begun = true;
      head = ByteBuffer.allocate(HEADER_BYTES);
      return;
    }
    payload = head.getInt(LENGTH_OFFSET);
    if (payload < 0 || payload > Limits.MAX_CLUSTER_PACKET_BYTES) {
      throw new ProtocolException("a packet of " + Integer.toUnsignedString(payload) + " bytes, at most "
          + Limits.MAX_CLUSTER_PACKET_BYTES + " are taken");
    }
    head.clear();
  }
}
