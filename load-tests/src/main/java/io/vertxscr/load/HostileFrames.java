package io.vertxscr.load;

import io.vertx.core.json.JsonObject;
import io.vertxscr.load.Defects.Length;
import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Doors.Door;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** Frames as a port expects them, with defects. The same seed makes the same defects. Not thread-safe. */
public final class HostileFrames {
  /** Of a hello: its record, its message, behind version and random its session. */
  private static final List<Length> HELLO_LENGTHS = List.of(new Length(3, 2), new Length(6, 3), new Length(43, 1));
  private static final int SESSION_OFFSET = 43;

  private final Defects defects;

  public HostileFrames(Door door, long seed) {
    defects = new Defects(switch (door) {
      case CLUSTER, BUS, PEER -> tls();
      case HTTP -> http();
      case BRIDGE -> List.of(List.of(token("0".repeat(64)), call(Verb.STATUS)), List.of(token(""), call(Verb.INIT)),
          List.of(call(Verb.STATUS)));
      case SOCKET -> calls();
    }, seed);
  }

  /** A client's hello, what looks like the next records, and the first bytes of Hazelcast and of peers. */
  private static List<List<Part>> tls() {
    Part hello = hello();
    Part changed = record(20, 1);
    Part data = record(23, 64);
    Part alert = record(21, 2, 40);
    Part packet = Part.of(ByteBuffer.allocate(27).put(4, (byte) 1).putInt(7, 16).array(), 7);
    return List.of(List.of(hello), List.of(hello, changed, data), List.of(hello, hello), List.of(data, data),
        List.of(alert), List.of(Part.of("HZC".getBytes(StandardCharsets.US_ASCII)), packet, packet),
        List.of(Part.of(new byte[] {0x53, 0x43, 0x52, 0x50, 0, 1, 0, 2, 0, 0, 'a'})));
  }

  /** A record of TLS whose content is this, and then zeros. */
  private static Part record(int type, int bytes, int... content) {
    ByteBuffer record = ByteBuffer.allocate(5 + bytes).put((byte) type).putShort((short) 0x303).putShort((short) bytes);
    Arrays.stream(content).forEach(one -> record.put((byte) one));
    return new Part(record.array(), List.of(new Length(3, 2)));
  }

  private static Part hello() {
    try {
      SSLEngine engine = SSLContext.getDefault().createSSLEngine();
      engine.setUseClientMode(true);
      engine.setEnabledProtocols(new String[] {"TLSv1.3"});
      ByteBuffer record = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
      engine.wrap(ByteBuffer.allocate(0), record);
      record.flip();
      List<Length> lengths = new ArrayList<>(HELLO_LENGTHS);
      int at = SESSION_OFFSET + 1 + record.get(SESSION_OFFSET);
      lengths.add(new Length(at, 2));                     // ciphers
      at += 2 + record.getShort(at);
      lengths.add(new Length(at, 1));                     // compression
      at += 1 + record.get(at);
      lengths.add(new Length(at, 2));                     // extensions, and each of them
      for (at += 2; at < record.limit(); at += 4 + record.getShort(at + 2)) {
        lengths.add(new Length(at + 2, 2));
      }
      return new Part(Arrays.copyOf(record.array(), record.limit()), lengths);
    } catch (GeneralSecurityException | SSLException e) {
      throw new IllegalStateException("every Java platform has TLS 1.3", e);
    }
  }

  /** Requests, each line a record. */
  private static List<List<Part>> http() {
    return Stream.of("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "GET /health/ready HTTP/1.0\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 7\r\n\r\n")
        .map(request -> Stream.of(request.split("(?<=\r\n)"))
            .map(line -> Part.of(line.getBytes(StandardCharsets.ISO_8859_1))).toList()).toList();
  }

  /** All calls of an application that is of no run, but for the one that begins a run, and some of them together. */
  private static List<List<Part>> calls() {
    List<List<Part>> calls = new ArrayList<>();
    for (Verb verb : Verb.values()) {
      if (verb != Verb.INIT) {
        calls.add(List.of(call(verb)));
      }
    }
    calls.add(List.of(frame(new JsonObject().put("type", "ping"))));
    calls.add(calls.stream().flatMap(List::stream).toList());
    return calls;
  }

  private static Part frame(JsonObject frame) {
    return Part.of(Frames.encode(frame), 0);
  }

  private static Part call(Verb verb) {
    return frame(Frames.send("scr._." + verb.wireName(), "r", new JsonObject().put("run", "none")
        .put("rank", 0).put("ranks", 1).put("call", 1).put("name", "x").put("prefix", "/nowhere").put("valid", true)));
  }

  private static Part token(String token) {
    return frame(new JsonObject().put("type", Frames.TOKEN).put("token", token));
  }

  /** One without a defect. */
  public byte[] real() {
    return defects.real();
  }

  /** The next frame; one of four is as it should be. */
  public byte[] next() {
    return defects.next();
  }
}
