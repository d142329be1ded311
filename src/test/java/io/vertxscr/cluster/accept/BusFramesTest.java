package io.vertxscr.cluster.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.eventbus.impl.CodecManager;
import io.vertx.core.eventbus.impl.clustered.ClusteredMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Defects;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;

/**
 * Goal: Vert.x gets the messages of a member with the key of their sender. It gets no frame that is too long or has
 * another form. Method: frames as Vert.x encodes and decodes them, in any pieces; frames with each length changed.
 */
class BusFramesTest {
  private static final int SEED = Integer.getInteger("seed", 1);
  private static final String KEY = "k".repeat(64);

  private static final Named NAMED = new Named("named");

  private final CodecManager codecs = new CodecManager();
  private final BusFrames.Unfinished unfinished = new BusFrames.Unfinished(1 << 20);

  {
    codecs.registerCodec(NAMED);
  }

  private EmbeddedChannel connection() {
    return new EmbeddedChannel(new BusFrames(() -> KEY, unfinished));
  }

  private byte[] frame(Map<String, String> headers, boolean codecByName, int bodyBytes) {
    Buffer body = Buffer.buffer(new byte[bodyBytes]);
    return new ClusteredMessage<Object, Object>("sender", "scr.n1.node.drop",
        MultiMap.caseInsensitiveMultiMap().addAll(headers), body, codecByName ? NAMED : codec(body), true, null)
        .encodeToWire().getBytes();
  }

  @SuppressWarnings("unchecked")            // the codec takes what it was looked up for
  private MessageCodec<Object, Object> codec(Object body) {
    return codecs.lookupCodec(body, null, false);
  }

  /** As that of buffers, but by its name. */
  private record Named(String name) implements MessageCodec<Object, Object> {
    @Override
    public void encodeToWire(Buffer to, Object body) {
      to.appendInt(((Buffer) body).length()).appendBuffer((Buffer) body);
    }

    @Override
    public Object decodeFromWire(int at, Buffer from) {
      return from.getBuffer(at + Integer.BYTES, at + Integer.BYTES + from.getInt(at));
    }

    @Override
    public Object transform(Object body) {
      return body;
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }

  /** What has come through, as Vert.x reads it. */
  private List<ClusteredMessage<?, ?>> messages(EmbeddedChannel connection) {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf some = connection.readInbound(); some != null; some = connection.readInbound()) {
      all.writeBytes(some);
      some.release();
    }
    List<ClusteredMessage<?, ?>> messages = new ArrayList<>();
    while (all.isReadable()) {
      byte[] frame = new byte[all.readInt()];
      all.readBytes(frame);
      ClusteredMessage<?, ?> message = new ClusteredMessage<>(null);
      message.readFromWire(Buffer.buffer(frame), codecs);
      messages.add(message);
    }
    return messages;
  }

  private static void send(EmbeddedChannel connection, byte[] bytes, int from, int to) {
    connection.writeInbound(Unpooled.copiedBuffer(bytes, from, to - from));
  }

  @Test
  void everyMessageInAnyPiecesHasItsHeadersItsBodyAndTheKeyOfItsSender() {
    List<Map<String, String>> headers = List.of(Map.of(), Map.of("scr-epoch", "1 n0/1"), Map.of("a", "", "b", "c"));
    Random random = new Random(SEED);
    for (int most : new int[] {1, 7, 1000, 1 << 20}) {
      EmbeddedChannel connection = connection();
      List<Map<String, String>> sent = new ArrayList<>();
      List<Integer> lengths = new ArrayList<>();
      Buffer all = Buffer.buffer();
      for (int length : new int[] {0, 1, 5000, most == 1 ? 10 : 100_000}) {
        for (Map<String, String> some : headers) {
          all.appendBytes(frame(some, false, length)).appendBytes(frame(some, true, length));
          sent.addAll(List.of(some, some));
          lengths.addAll(List.of(length, length));
        }
      }
      byte[] bytes = all.getBytes();
      for (int at = 0; at < bytes.length; ) {
        int next = Math.min(bytes.length, at + 1 + random.nextInt(most));
        send(connection, bytes, at, next);
        at = next;
      }
      List<ClusteredMessage<?, ?>> messages = messages(connection);
      assertThat(messages).as("seed %d, pieces of %d", SEED, most).hasSameSizeAs(sent);
      for (int i = 0; i < sent.size(); i++) {
        ClusteredMessage<?, ?> message = messages.get(i);
        assertThat(message.address()).isEqualTo("scr.n1.node.drop");
        assertThat(BusFrames.sender(message)).contains(KEY);
        assertThat(message.headers().size()).isEqualTo(sent.get(i).size() + 1);
        sent.get(i).forEach((name, value) -> assertThat(message.headers().get(name)).isEqualTo(value));
        assertThat(((Buffer) message.body()).length()).isEqualTo(lengths.get(i));
      }
    }
  }

  /** As many as {@code -Dscr.frames} says. */
  @Test
  void ofFramesWithSeededDefectsEachThatVertxReadsHasTheStampOfItsConnection() {
    int frames = Integer.getInteger("scr.frames", 5_000);
    List<List<Part>> good = new ArrayList<>();
    for (Map<String, String> headers : List.of(Map.<String, String>of(), Map.of("scr-epoch", "1 n0/1"))) {
      for (Object body : List.of(Buffer.buffer("abc"), new JsonObject().put("a", 1), "text", 7, true)) {
        byte[] frame = new ClusteredMessage<>("sender", "scr.n1.node.drop",
            MultiMap.caseInsensitiveMultiMap().addAll(headers), body, codec(body), true, null)
            .encodeToWire().getBytes();
        good.add(List.of(Part.of(frame, 0, 7, frame.length - 4, frame.length - 8)));
      }
    }
    good.add(good.stream().flatMap(List::stream).toList());
    Defects hostile = new Defects(good, SEED);
    Random random = new Random(SEED);
    int refused = 0;
    int read = 0;
    for (int i = 0; i < frames; i++) {
      EmbeddedChannel connection = connection();
      byte[] bytes = hostile.next();
      for (int at = 0; at < bytes.length && connection.isOpen(); ) {
        int next = Math.min(bytes.length, at + 1 + random.nextInt(200));
        send(connection, bytes, at, next);
        at = next;
      }
      refused += connection.isOpen() ? 0 : 1;
      read += stamped(connection, "seed " + SEED + ", frames " + i);
      connection.finishAndReleaseAll();
    }
    assertThat(refused).isPositive();
    assertThat(read).isGreaterThan(frames / 4);
    unfinished.holds(new BusFrames(() -> KEY, unfinished), 1 << 20);      // all that was held has been given back
  }

  /** How many messages have come through that Vert.x can read. */
  private int stamped(EmbeddedChannel connection, String which) {
    ByteBuf all = Unpooled.buffer();
    for (ByteBuf some = connection.readInbound(); some != null; some = connection.readInbound()) {
      all.writeBytes(some);
      some.release();
    }
    int read = 0;
    while (all.readableBytes() > Integer.BYTES
        && all.readableBytes() >= Integer.BYTES + all.getInt(all.readerIndex())) {
      byte[] frame = new byte[all.readInt()];
      all.readBytes(frame);
      ClusteredMessage<?, ?> message = new ClusteredMessage<>(null);
      try {
        message.readFromWire(Buffer.buffer(frame), codecs);
      } catch (IllegalStateException | IndexOutOfBoundsException _) {
        continue;                                         // Vert.x ends the connection
      }
      assertThat(message.headers().getAll(BusFrames.SENDER)).as(which).first().isEqualTo(KEY);
      read++;
    }
    all.release();
    return read;
  }

  @Test
  void whoWritesAStampItselfIsFoundOut() {
    for (String name : List.of(BusFrames.SENDER, "SCR-Sender")) {
      EmbeddedChannel connection = connection();
      connection.writeInbound(Unpooled.wrappedBuffer(frame(Map.of(name, "other"), false, 1)));
      ClusteredMessage<?, ?> message = messages(connection).getFirst();
      assertThatExceptionOfType(ScrException.class).isThrownBy(() -> BusFrames.sender(message));
    }
  }

  @Test
  void aMessageOfThisProcessHasNoStamp() {
    assertThat(BusFrames.sender(new ClusteredMessage<>("s", "a", MultiMap.caseInsensitiveMultiMap(), "body",
        codec("body"), true, null))).isEqualTo(Optional.empty());
  }

  /** The announcement is enough: nothing is kept of what follows. */
  @Test
  void aFrameThatIsTooLongEndsTheConnection() {
    int most = Limits.MAX_NODE_MESSAGE_BYTES + Limits.MAX_BUS_HEAD_BYTES;
    for (int length : new int[] {most + 1, Integer.MAX_VALUE, -1}) {
      EmbeddedChannel connection = connection();
      connection.writeInbound(Unpooled.copiedBuffer(ByteBuffer.allocate(6).putInt(length).flip().limit(6)));
      assertThat(connection.isOpen()).as("length %d", length).isFalse();
      assertThat(messages(connection)).isEmpty();
    }
  }

  /**
   * A length that is not looked at could hide the stamp, move it into the body, or have Vert.x make room for gigabytes:
   * it does so before it looks for the bytes.
   */
  @Test
  void whereAnyNumberOfAHeadIsChangedTheFrameIsRefusedOrVertxReadsItWithItsStamp() {
    int refused = 0;
    for (Object body : List.of(Buffer.buffer("abc"), new JsonObject().put("a", 1), "text")) {
      byte[] good = new ClusteredMessage<>("sender", "scr.n1.node.drop",
          MultiMap.caseInsensitiveMultiMap().add("scr-epoch", "1 n0/1"), body, codec(body), true, null)
          .encodeToWire().getBytes();
      for (int at = 4; at <= good.length - 4; at++) {
        for (int number : new int[] {-1, Integer.MAX_VALUE, 1 << 20, 0, 5}) {
          byte[] bad = good.clone();
          ByteBuffer.wrap(bad).putInt(at, number);
          EmbeddedChannel connection = connection();
          connection.writeInbound(Unpooled.wrappedBuffer(bad));
          if (!connection.isOpen()) {
            refused++;
            continue;
          }
          for (ClusteredMessage<?, ?> message : messages(connection)) {
            assertThat(message.headers().getAll(BusFrames.SENDER)).as("%d at %d", number, at).containsExactly(KEY);
          }
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void aBodyThatAnnouncesMoreThanItsFrameHasIsRefusedInAnyCodec() {
    for (Object body : List.of("text", Buffer.buffer("abc"), new byte[3], new JsonObject(), new JsonArray(),
        new ReplyException(ReplyFailure.ERROR, 7, "why"))) {
      byte[] good = frame(body);
      int bytes = body instanceof ReplyException ? 3 : good.length - lengthAt(good, body) - Integer.BYTES;
      EmbeddedChannel connection = connection();
      connection.writeInbound(Unpooled.copiedBuffer(good));
      assertThat(messages(connection)).as("%s", body).hasSize(1);
      for (int more : new int[] {bytes + 1, Integer.MAX_VALUE, -1}) {
        EmbeddedChannel attacked = connection();
        byte[] bad = good.clone();
        ByteBuffer.wrap(bad).putInt(lengthAt(good, body), more);
        attacked.writeInbound(Unpooled.wrappedBuffer(bad));
        assertThat(attacked.isOpen()).as("%s of %d bytes", body, more).isFalse();
      }
    }
  }

  private byte[] frame(Object body) {
    return new ClusteredMessage<>("sender", "address", MultiMap.caseInsensitiveMultiMap(), body, codec(body), true,
        null).encodeToWire().getBytes();
  }

  /** The headers end with their length, 4. */
  private int lengthAt(byte[] frame, Object body) {
    int headers = 4 + 3 + 4 + "address".length() + 4 + 4 + "sender".length();
    assertThat(ByteBuffer.wrap(frame).getInt(headers)).isEqualTo(4);
    return headers + 4 + (body instanceof ReplyException ? 6 : 0);
  }

  @Test
  void objectsOfClassesThatTheSenderNamesAreRefused() {
    byte[] frame = frame("text");
    for (int codec = 16; codec < 256; codec++) {
      frame[5] = (byte) codec;
      EmbeddedChannel connection = connection();
      connection.writeInbound(Unpooled.copiedBuffer(frame));
      assertThat(connection.isOpen()).as("codec %d", codec).isFalse();
    }
    assertThat(codecs.systemCodecs()).extracting(known -> known.getClass().getSimpleName()).containsExactly(
        "NullMessageCodec", "PingMessageCodec", "ByteMessageCodec", "BooleanMessageCodec", "ShortMessageCodec",
        "IntMessageCodec", "LongMessageCodec", "FloatMessageCodec", "DoubleMessageCodec", "StringMessageCodec",
        "CharMessageCodec", "BufferMessageCodec", "ByteArrayMessageCodec", "JsonObjectMessageCodec",
        "JsonArrayMessageCodec", "ReplyExceptionMessageCodec", "ClusterSerializableCodec", "SerializableCodec");
  }

  @Test
  void aHeadWithoutAnEndIsNotKept() {
    byte[] head = new byte[2 * Limits.MAX_BUS_HEAD_BYTES];
    ByteBuffer.wrap(head).putInt(Limits.MAX_NODE_MESSAGE_BYTES).put((byte) 2).put((byte) 0).put((byte) 0)
        .putInt(Limits.MAX_BUS_HEAD_BYTES);
    EmbeddedChannel connection = connection();
    connection.writeInbound(Unpooled.wrappedBuffer(head));
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void ofUnfinishedFramesThatAreTooManyTogetherTheLargestGoesAndTheOthersGoOn() {
    List<EmbeddedChannel> connections =
        IntStream.range(0, 5).mapToObj(_ -> connection()).toList();
    byte[] frame = frame(Map.of(), false, 900_000);
    for (EmbeddedChannel small : connections.subList(0, 4)) {
      send(small, frame, 0, 200_000);
    }
    EmbeddedChannel large = connections.getLast();
    send(large, frame, 0, 240_000);
    assertThat(connections).allMatch(EmbeddedChannel::isOpen);
    send(large, frame, 240_000, 400_000);
    assertThat(large.isOpen()).isFalse();
    for (EmbeddedChannel small : connections.subList(0, 4)) {
      assertThat(small.isOpen()).isTrue();
    }
    EmbeddedChannel first = connections.getFirst();
    send(first, frame, 200_000, 300_000);
    first.close();                                        // what it held counts no more
    for (EmbeddedChannel small : connections.subList(1, 4)) {
      send(small, frame, 200_000, 340_000);
      assertThat(small.isOpen()).isTrue();
    }
  }

  @Test
  void whoHasShownNoKeyIsHungUpOn() {
    EmbeddedChannel connection = new EmbeddedChannel(new BusFrames(() -> {
      throw new SSLPeerUnverifiedException("none");
    }, unfinished));
    connection.writeInbound(Unpooled.wrappedBuffer(frame(Map.of(), false, 1)));
    assertThat(connection.isOpen()).isFalse();
    assertThat(messages(connection)).isEmpty();
  }
}
