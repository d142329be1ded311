package io.vertxscr.cluster.accept;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.vertx.core.eventbus.Message;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the frames that members send to the event bus, and stamps each with the key of its sender. Behind the TLS of
 * one connection, before Vert.x, which keeps a frame until it is whole and does not say who sent it. On the event loop
 * of the connection.
 *
 * <p>A frame of Vert.x 5; a string is a u32 length and UTF-8, all numbers are big-endian:
 * <pre>
 *   u32 length                       of what follows
 *   u8 version, u8 codec             255: a string follows, the name of the codec
 *   u8 send or publish
 *   string address, reply address, sender
 *   u32 headers length               with these 4 bytes; 4 if there are none, else
 *     u32 count
 *     string name, string value      the stamp is put in here as the first one
 *     ...
 *   body                             as its codec has it, most with a u32 length first
 * </pre>
 */
public final class BusFrames extends ByteToMessageDecoder {
  /** Header that has the fingerprint of the sender's key. Messages within one process have none. */
  static final String SENDER = "scr-sender";
  private static final Logger LOG = LoggerFactory.getLogger(BusFrames.class);
  private static final int LENGTH_BYTES = Integer.BYTES;
  /** Length, version and codec. */
  private static final int FIXED_BYTES = LENGTH_BYTES + 2;
  private static final byte NAMED_CODEC = -1;
  private static final int MOST_HEADERS = 64;
  private static final int LONGEST_FRAME = Limits.MAX_BUS_HEAD_BYTES + Limits.MAX_NODE_MESSAGE_BYTES;

  private final Peer peer;
  private final Unfinished unfinished;
  private ChannelHandlerContext context;
  private byte[] stamp = {};
  private volatile boolean refused;
  /** Bytes of the frame under way that Vert.x has, and that are still to come. */
  private int passed;
  private int left;

  /** The other side of a connection. */
  interface Peer {
    /** Fingerprint of the key that it has proved to have. */
    String fingerprint() throws SSLException;
  }

  /** Bytes of unfinished frames of all connections of a server. Thread-safe. */
  static final class Unfinished {
    private final long most;
    private final Map<BusFrames, Integer> held = new HashMap<>();
    private long bytes;

    Unfinished(long most) {
      this.most = most;
    }

    /** A connection holds so many now. Where they are too many, the connection that holds most of all is closed. */
    synchronized void holds(BusFrames connection, int now) {
      Integer before = now == 0 ? held.remove(connection) : held.put(connection, now);
      bytes += now - (before == null ? 0 : before);
      if (bytes > most) {
        held.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey().refuse(
            "unfinished messages of all members together have more than " + most + " bytes, most of them its own");
      }
    }
  }

  BusFrames(Peer peer, Unfinished unfinished) {
    this.peer = peer;
    this.unfinished = unfinished;
  }

  /**
   * Fingerprint of the key that the sender of a message has proved to have. Empty for one of this process.
   *
   * @throws ScrException NOT_LEADER if the sender has written one itself
   */
  public static Optional<String> sender(Message<?> message) {
    List<String> stamps = message.headers().getAll(SENDER);
    if (stamps.size() > 1) {
      throw new ScrException(Fault.NOT_LEADER, "a message to " + message.address() + " with a false sender");
    }
    return stamps.stream().findFirst();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext here) {
    context = here;
  }

  @Override
  protected void decode(ChannelHandlerContext here, ByteBuf in, List<Object> out) {
    if (refused) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (left > 0) {
      pass(in.readRetainedSlice(Math.min(left, in.readableBytes())), out);
      return;
    }
    try {
      OptionalInt headers = headers(in);
      if (headers.isEmpty()) {
        unfinished.holds(this, in.readableBytes());
        return;
      }
      if (stamp.length == 0) {
        stamp = header(SENDER, peer.fingerprint());
      }
      pass(stamped(in, headers.getAsInt()), out);
    } catch (MalformedFrame | SSLException e) {
      in.skipBytes(in.readableBytes());
      refuse(e.getMessage());
    }
  }

  /** Hands bytes of a frame on. */
  private void pass(ByteBuf bytes, List<Object> out) {
    left -= bytes.readableBytes();
    passed = left == 0 ? 0 : passed + bytes.readableBytes();
    out.add(bytes);
    unfinished.holds(this, passed);
  }

  /** What there is of a frame, with the stamp. */
  private ByteBuf stamped(ByteBuf in, int headers) {
    int start = in.readerIndex();
    int length = in.getInt(start);
    int headersBytes = in.getInt(headers);
    boolean hasHeaders = headersBytes > Integer.BYTES;
    int added = stamp.length + (hasHeaders ? 0 : Integer.BYTES);
    left = LENGTH_BYTES + length + added;
    int here = Math.min(in.readableBytes(), LENGTH_BYTES + length);
    ByteBuf frame = context.alloc().buffer(here + added);
    frame.writeInt(length + added);
    frame.writeBytes(in, start + LENGTH_BYTES, headers - start - LENGTH_BYTES);
    frame.writeInt(headersBytes + added);
    frame.writeInt(hasHeaders ? in.getInt(headers + Integer.BYTES) + 1 : 1);
    frame.writeBytes(stamp);
    int rest = headers + (hasHeaders ? 2 * Integer.BYTES : Integer.BYTES);
    frame.writeBytes(in, rest, start + here - rest);
    in.skipBytes(here);
    return frame;
  }

  /**
   * Where the headers of the next frame begin; empty while it has not come so far. All lengths in it are checked first,
   * because Vert.x makes room for as many bytes as any of them says, before it looks whether they are there.
   */
  private static OptionalInt headers(ByteBuf in) throws MalformedFrame {
    if (in.readableBytes() < FIXED_BYTES) {
      return OptionalInt.empty();
    }
    int start = in.readerIndex();
    int length = in.getInt(start);
    if (length < FIXED_BYTES || length > LONGEST_FRAME) {
      throw new MalformedFrame("a message of " + Integer.toUnsignedString(length) + " bytes, at most " + LONGEST_FRAME
          + " are taken");
    }
    int end = start + LENGTH_BYTES + length;
    int codec = in.getByte(start + FIXED_BYTES - 1);
    Cursor head = new Cursor(in, start + FIXED_BYTES, Math.min(end, start + Limits.MAX_BUS_HEAD_BYTES));
    if (codec == NAMED_CODEC) {
      head.string();
    }
    head.skip(1);
    head.string();
    head.string();
    head.string();
    int headers = head.position;
    int bytes = head.number();
    if (head.isHere() && bytes != Integer.BYTES) {
      int count = head.number();
      if (count < 0 || count > MOST_HEADERS) {
        throw new MalformedFrame("a message of " + count + " headers, at most " + MOST_HEADERS + " are taken");
      }
      for (int i = 0; i < 2 * count; i++) {
        head.string();
      }
    }
    if (!head.isHere()) {
      return OptionalInt.empty();
    }
    if (head.position - headers != bytes) {
      throw new MalformedFrame("a message whose headers have " + (head.position - headers) + " bytes instead of "
          + bytes);
    }
    Cursor body = new Cursor(in, head.position, end);
    checkBody(codec, body);
    return body.lacksLength ? OptionalInt.empty() : OptionalInt.of(headers);
  }

  /** By the codecs of Vert.x. Those of Java objects make instances of classes that the sender names. */
  private static void checkBody(int codec, Cursor body) throws MalformedFrame {
    switch (codec) {
      case NAMED_CODEC, 0, 1 -> {}
      case 2, 3 -> body.skip(Byte.BYTES);
      case 4, 10 -> body.skip(Short.BYTES);
      case 5, 7 -> body.skip(Integer.BYTES);
      case 6, 8 -> body.skip(Long.BYTES);
      case 9, 11, 12, 13, 14 -> body.string();
      case 15 -> {                                        // a failure, its number, and perhaps a text
        body.skip(Byte.BYTES + Integer.BYTES);
        if (body.flag()) {
          body.string();
        }
      }
      default -> throw new MalformedFrame("a message with codec " + codec + ", which is not taken");
    }
  }

  /** A place in a frame, which may not have come so far yet. */
  private static final class Cursor {
    private final ByteBuf in;
    private final int end;
    private int position;
    /** Whether a length or flag was needed that has not come. What follows is not known then. */
    private boolean lacksLength;

    Cursor(ByteBuf in, int position, int end) {
      this.in = in;
      this.position = position;
      this.end = end;
    }

    boolean isHere() {
      return !lacksLength && position <= in.writerIndex();
    }

    void skip(int bytes) throws MalformedFrame {
      if (bytes < 0 || bytes > end - position) {
        throw new MalformedFrame("a message with parts longer than it, or than " + Limits.MAX_BUS_HEAD_BYTES
            + " bytes before its body");
      }
      position += bytes;
    }

    /** Zero where it has not come yet. */
    int number() throws MalformedFrame {
      int at = position;
      skip(Integer.BYTES);
      lacksLength |= position > in.writerIndex();
      return lacksLength ? 0 : in.getInt(at);
    }

    boolean flag() throws MalformedFrame {
      int at = position;
      skip(Byte.BYTES);
      lacksLength |= position > in.writerIndex();
      return !lacksLength && in.getByte(at) != 0;
    }

    void string() throws MalformedFrame {
      if (!lacksLength) {
        skip(number());
      }
    }
  }

  private static byte[] header(String name, String value) {
    byte[] key = name.getBytes(StandardCharsets.UTF_8);
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 * Integer.BYTES + key.length + text.length)
        .putInt(key.length).put(key).putInt(text.length).put(text).array();
  }

  private void refuse(String why) {
    refused = true;
    unfinished.holds(this, 0);
    LOG.warn("member {} is hung up on: {}", context.channel().remoteAddress(), why);
    context.close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext here) throws Exception {
    super.channelInactive(here);
    unfinished.holds(this, 0);
  }

  private static final class MalformedFrame extends Exception {
    private static final long serialVersionUID = 1;

    MalformedFrame(String message) {
      super(message);
    }
  }
}
