package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * Handshake of a connection. Both ends prove that they know the cluster's secret, and the server that it is the
 * requested node (after a restart another node may have its port). Big-endian.
 *
 * <pre>
 *  GREETING, server to client, 40 bytes          0       4        6       8               40
 *                                                | magic | version| status| nonce         |
 *  HELLO, client to server, 72 bytes + name      0       4        6       8       40      72
 *                                                | magic | version| length| nonce | proof | name of the node meant |
 *  VERDICT, server to client, 40 bytes           0       4        6       8               40
 *                                                | magic | status | 0     | proof         |
 * </pre>
 *
 * <p>A proof is HMAC-SHA256 over a label of 16 bytes that differs by side, the server's nonce, the client's nonce and
 * the name. Nonces are 32 random bytes each, fresh for every connection, so that no proof can be replayed; the client
 * proves first. The server speaks first and sends nothing but a status where it refuses, so that a refusal is never
 * lost to a reset for unread bytes. {@code status} is 0 or a {@link Fault} number.
 *
 * <p>What follows is neither encrypted nor signed: an attacker who changes packets can change data, which the
 * checksums then show.
 */
final class Handshake {
  private static final int NONCE_BYTES = 32;
  private static final int GREETING_BYTES = 8 + NONCE_BYTES;
  private static final int HELLO_BYTES = 8 + NONCE_BYTES + ClusterSecret.PROOF_BYTES;
  private static final int VERDICT_BYTES = 8 + ClusterSecret.PROOF_BYTES;
  private static final byte[] CLIENT = "scr-peer-client ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "scr-peer-server ".getBytes(StandardCharsets.US_ASCII);
  private static final SecureRandom RANDOM = new SecureRandom();

  private Handshake() {}

  /** Server's side. @return whether the client may go on; it has been told */
  static boolean serve(PeerChannel client, ClusterSecret secret, String node) throws IOException {
    byte[] serverNonce = nonce();
    writeGreeting(client, 0, serverNonce);
    ByteBuffer hello = read(client, HELLO_BYTES);
    int magic = hello.getInt();
    int version = hello.getShort();
    int nameBytes = Short.toUnsignedInt(hello.getShort());
    if (magic != PeerProtocol.MAGIC || version != PeerProtocol.VERSION
        || nameBytes == 0 || nameBytes > Limits.MAX_NODE_NAME_CHARS) {
      return false;                             // no client of ours
    }
    byte[] clientNonce = bytes(hello, NONCE_BYTES);
    byte[] proof = bytes(hello, ClusterSecret.PROOF_BYTES);
    byte[] name = bytes(read(client, nameBytes), nameBytes);
    Fault refusal = null;
    if (!ClusterSecret.same(proof, secret.proof(CLIENT, serverNonce, clientNonce, name))) {
      refusal = Fault.NOT_AUTHORIZED;
    } else if (!node.equals(new String(name, StandardCharsets.UTF_8))) {
      refusal = Fault.NODE_LOST;
    }
    byte[] answer = refusal == null
        ? secret.proof(SERVER, serverNonce, clientNonce, name) : new byte[ClusterSecret.PROOF_BYTES];
    client.writeFully(ByteBuffer.allocate(VERDICT_BYTES).putInt(PeerProtocol.MAGIC)
        .putShort((short) (refusal == null ? 0 : refusal.number())).putShort((short) 0).put(answer).flip());
    return refusal == null;
  }

  /** Server's side, for a connection that it will not serve. */
  static void refuse(PeerChannel client, Fault why) throws IOException {
    writeGreeting(client, why.number(), new byte[NONCE_BYTES]);
  }

  /** Client's side. @throws ScrException BUSY, NOT_AUTHORIZED, NODE_LOST (another node lives there), CORRUPT */
  static void join(PeerChannel server, ClusterSecret secret, String node) throws IOException {
    ByteBuffer greeting = read(server, GREETING_BYTES);
    int magic = greeting.getInt();
    int version = greeting.getShort();
    int status = Short.toUnsignedInt(greeting.getShort());
    if (magic != PeerProtocol.MAGIC) {
      throw new ScrException(Fault.CORRUPT, server.peer() + " does not speak the protocol of peers");
    }
    if (version != PeerProtocol.VERSION) {
      throw new ScrException(Fault.BAD_REQUEST, server.peer() + " speaks version " + version
          + " of the protocol of peers, this node version " + PeerProtocol.VERSION);
    }
    if (status != 0) {
      throw refused(server, status);
    }
    byte[] serverNonce = bytes(greeting, NONCE_BYTES);
    byte[] clientNonce = nonce();
    byte[] name = PeerProtocol.nodeName(node);
    server.writeFully(ByteBuffer.allocate(HELLO_BYTES + name.length).putInt(PeerProtocol.MAGIC)
        .putShort((short) PeerProtocol.VERSION).putShort((short) name.length).put(clientNonce)
        .put(secret.proof(CLIENT, serverNonce, clientNonce, name)).put(name).flip());
    ByteBuffer verdict = read(server, VERDICT_BYTES);
    if (verdict.getInt() != PeerProtocol.MAGIC) {
      throw new ScrException(Fault.CORRUPT, server.peer() + " breaks the protocol of peers in its handshake");
    }
    status = Short.toUnsignedInt(verdict.getShort());
    verdict.getShort();
    if (status != 0) {
      throw refused(server, status);
    }
    byte[] proof = bytes(verdict, ClusterSecret.PROOF_BYTES);
    if (!ClusterSecret.same(proof, secret.proof(SERVER, serverNonce, clientNonce, name))) {
      throw new ScrException(Fault.NOT_AUTHORIZED, server.peer() + " does not know the secret of this cluster");
    }
  }

  private static ScrException refused(PeerChannel server, int status) {
    Fault fault = Fault.of(status);
    return new ScrException(fault, server.peer() + switch (fault) {
      case BUSY -> " serves as many connections as it may";
      case NOT_AUTHORIZED -> " does not accept this node's secret of the cluster";
      case NODE_LOST -> " is gone: another node answers at its address";
      default -> " refuses the connection: " + fault;
    });
  }

  private static void writeGreeting(PeerChannel client, int status, byte[] nonce) throws IOException {
    client.writeFully(ByteBuffer.allocate(GREETING_BYTES).putInt(PeerProtocol.MAGIC)
        .putShort((short) PeerProtocol.VERSION).putShort((short) status).put(nonce).flip());
  }

  private static ByteBuffer read(PeerChannel from, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    from.readFully(buffer);
    return buffer.flip();
  }

  private static byte[] bytes(ByteBuffer from, int count) {
    byte[] bytes = new byte[count];
    from.get(bytes);
    return bytes;
  }

  private static byte[] nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    RANDOM.nextBytes(nonce);
    return nonce;
  }
}
