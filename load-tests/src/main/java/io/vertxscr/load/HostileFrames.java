package io.vertxscr.load;

import io.vertx.core.json.JsonObject;
import io.vertxscr.load.Doors.Door;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Frames as a port expects them, with defects. The same seed makes the same defects. Not thread-safe. */
public final class HostileFrames {
  private static final int[] LENGTHS = {0, 1, -1, 16 << 20, (16 << 20) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1024};
  private static final int MOST_DEFECTS = 3;
  private static final int LONGEST_INSERT = 300;

  private final List<byte[]> real;
  private final SplittableRandom random;

  public HostileFrames(Door door, long seed) {
    real = switch (door) {
      case CLUSTER, BUS, PEER -> tls();
      case HTTP -> http();
      case BRIDGE -> List.of(token("0".repeat(64)), token(""), call(Verb.STATUS), call(Verb.INIT));
      case SOCKET -> calls();
    };
    random = new SplittableRandom(seed);
  }

  /** A client's hello, what looks like the next records, and the first bytes of Hazelcast and of peers. */
  private static List<byte[]> tls() {
    byte[] hello;
    try {
      SSLEngine engine = SSLContext.getDefault().createSSLEngine();
      engine.setUseClientMode(true);
      engine.setEnabledProtocols(new String[] {"TLSv1.3"});
      ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
      engine.wrap(ByteBuffer.allocate(0), record);
      hello = Arrays.copyOf(record.array(), record.position());
    } catch (GeneralSecurityException | SSLException e) {
      throw new IllegalStateException("every Java platform has TLS 1.3", e);
    }
    byte[] changed = {20, 3, 3, 0, 1, 1};
    byte[] data = ByteBuffer.allocate(69).put(new byte[] {23, 3, 3, 0, 64}).array();
    byte[] alert = {21, 3, 3, 0, 2, 2, 40};
    return List.of(hello, joined(hello, changed, data), joined(hello, hello), data, alert,
        "HZC\0\0\0\0\0".getBytes(StandardCharsets.US_ASCII),
        new byte[] {0x53, 0x43, 0x52, 0x50, 0, 1, 0, 2, 0, 0, 'a'});
  }

  private static List<byte[]> http() {
    List<byte[]> requests = new ArrayList<>();
    for (String request : List.of("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "GET /health/ready HTTP/1.0\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 7\r\n\r\n")) {
      requests.add(request.getBytes(StandardCharsets.ISO_8859_1));
    }
    return requests;
  }

  /** All calls of an application that is of no run, but for the one that begins a run. */
  private static List<byte[]> calls() {
    List<byte[]> calls = new ArrayList<>();
    for (Verb verb : Verb.values()) {
      if (verb != Verb.INIT) {
        calls.add(call(verb));
      }
    }
    calls.add(Frames.encode(new JsonObject().put("type", "ping")));
    return calls;
  }

  private static byte[] call(Verb verb) {
    return Frames.encode(Frames.send("scr._." + verb.wireName(), "r", new JsonObject().put("run", "none")
        .put("rank", 0).put("ranks", 1).put("call", 1).put("name", "x").put("prefix", "/nowhere").put("valid", true)));
  }

  private static byte[] token(String token) {
    return Frames.encode(new JsonObject().put("type", Frames.TOKEN).put("token", token));
  }

  private static byte[] joined(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    for (byte[] part : parts) {
      all.put(part);
    }
    return all.array();
  }

  /** One without a defect. */
  public byte[] real() {
    return real.getFirst().clone();
  }

  /** The next frame; one of many is as it should be. */
  public byte[] next() {
    byte[] frame = real.get(random.nextInt(real.size())).clone();
    for (int defects = random.nextInt(MOST_DEFECTS + 1); defects > 0 && frame.length > 1; defects--) {
      frame = defect(frame);
    }
    return frame;
  }

  private byte[] defect(byte[] frame) {
    int at = random.nextInt(frame.length);
    int to = at + random.nextInt(frame.length - at) + 1;
    switch (random.nextInt(7)) {
      case 0 -> frame[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> frame[at] = (byte) random.nextInt(256);
      case 2 -> {
        return Arrays.copyOf(frame, at + 1);
      }
      case 3 -> {
        return joined(Arrays.copyOf(frame, to), Arrays.copyOfRange(frame, at, frame.length));   // a piece twice
      }
      case 4 -> {
        return joined(Arrays.copyOf(frame, at), Arrays.copyOfRange(frame, to, frame.length));   // a piece is missing
      }
      case 5 -> {
        byte[] noise = new byte[random.nextInt(LONGEST_INSERT)];
        random.nextBytes(noise);
        return joined(Arrays.copyOf(frame, at), noise, Arrays.copyOfRange(frame, at, frame.length));
      }
      default -> {
        if (frame.length >= Integer.BYTES) {
          ByteBuffer.wrap(frame).putInt(0, LENGTHS[random.nextInt(LENGTHS.length)]);
        }
      }
    }
    return frame;
  }
}
