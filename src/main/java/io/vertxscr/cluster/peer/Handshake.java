package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;

/**
 * Handshake of a connection. Both ends prove that they are members of the cluster, and the server says that it is the
 * requested node (after a restart another node may have its port). Big-endian.
 *
 * <pre>
 *  GREETING, server to client, 8 bytes, plain      0       4        6        8
 *                                                  | magic | version| status |
 *  TLS 1.3, certificates of both sides
 *  HELLO, client to server, 10 bytes + name        0       4        6        8       10
 *                                                  | magic | version| length | plain | name of the node meant |
 *  VERDICT, server to client, 8 bytes              0       4        6        8
 *                                                  | magic | status | plain  |
 * </pre>
 *
 * <p>{@code plain} is 1 where the client takes both addresses for those of a trusted network. If the server does, too,
 * it answers 1, and what follows the VERDICT is not encrypted; else 0, and {@link PeerRecords} follow. The server sends
 * nothing but a status where it refuses. {@code status} is 0 or a {@link Fault} number.
 */
final class Handshake {
  static final int GREETING_BYTES = 8;
  private static final int HELLO_BYTES = 10;
  private static final int VERDICT_BYTES = 8;

  private Handshake() {}

  /** Server's side. @return whether the client may go on; it has been told */
  static boolean serve(PeerChannel client, PeerSecurity security, String node) throws IOException {
    writeGreeting(client, 0);
    client.secure(security.credentials().engine(false));
    ByteBuffer hello = read(client, HELLO_BYTES);
    int magic = hello.getInt();
    int version = hello.getShort();
    int nameBytes = Short.toUnsignedInt(hello.getShort());
    boolean plain = hello.getShort() == 1 && security.trusted().contain(client.address());
    if (magic != PeerProtocol.MAGIC || version != PeerProtocol.VERSION
        || nameBytes == 0 || nameBytes > Limits.MAX_NODE_NAME_CHARS) {
      return false;                             // no client of ours
    }
    byte[] name = new byte[nameBytes];
    read(client, nameBytes).get(name);
    boolean meant = node.equals(new String(name, StandardCharsets.UTF_8));
    client.writeFully(ByteBuffer.allocate(VERDICT_BYTES).putInt(PeerProtocol.MAGIC)
        .putShort((short) (meant ? 0 : Fault.NODE_LOST.number())).putShort((short) (plain ? 1 : 0)).flip());
    if (meant && plain) {
      client.plain();
    } else if (meant) {
      client.encrypted(false);
    }
    return meant;
  }

  /** Server's side, for a connection that it will not serve. */
  static void refuse(PeerChannel client, Fault why) throws IOException {
    writeGreeting(client, why.number());
  }

  /** Client's side. @throws ScrException BUSY, NOT_AUTHORIZED, NODE_LOST (another node lives there), CORRUPT */
  static void join(PeerChannel server, PeerSecurity security, String node) throws IOException {
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
    try {
      server.secure(security.credentials().clientEngine(node));
      prove(server, security, node);
    } catch (SSLException e) {
      throw new ScrException(Fault.NOT_AUTHORIZED, server.peer()
          + " and this node are not of one cluster: " + e.getMessage(), e);
    }
  }

  private static void prove(PeerChannel server, PeerSecurity security, String node) throws IOException {
    byte[] name = PeerProtocol.nodeName(node);
    server.writeFully(ByteBuffer.allocate(HELLO_BYTES + name.length).putInt(PeerProtocol.MAGIC)
        .putShort((short) PeerProtocol.VERSION).putShort((short) name.length)
        .putShort((short) (security.trusted().contain(server.address()) ? 1 : 0)).put(name).flip());
    ByteBuffer verdict = read(server, VERDICT_BYTES);
    if (verdict.getInt() != PeerProtocol.MAGIC) {
      throw new ScrException(Fault.CORRUPT, server.peer() + " breaks the protocol of peers in its handshake");
    }
    int status = Short.toUnsignedInt(verdict.getShort());
    if (status != 0) {
      throw refused(server, status);
    }
    if (verdict.getShort() == 1) {
      if (!security.trusted().contain(server.address())) {
        throw new ScrException(Fault.CORRUPT, server.peer() + " does not encrypt, without being asked not to");
      }
      server.plain();
    } else {
      server.encrypted(true);
    }
  }

  private static ScrException refused(PeerChannel server, int status) {
    Fault fault = Fault.of(status);
    return new ScrException(fault, server.peer() + switch (fault) {
      case BUSY -> " serves as many connections as it may";
      case NODE_LOST -> " is gone: another node answers at its address";
      default -> " refuses the connection: " + fault;
    });
  }

  private static void writeGreeting(PeerChannel client, int status) throws IOException {
    client.writeFully(ByteBuffer.allocate(GREETING_BYTES).putInt(PeerProtocol.MAGIC)
        .putShort((short) PeerProtocol.VERSION).putShort((short) status).flip());
  }

  private static ByteBuffer read(PeerChannel from, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    from.readFully(buffer);
    return buffer.flip();
  }
}
