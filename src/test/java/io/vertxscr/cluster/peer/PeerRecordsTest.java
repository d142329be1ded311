package io.vertxscr.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.load.Defects.Part;
import io.vertxscr.load.Defects;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what arrives is what was sent, in its order, or the connection fails. Method: records as they are sent, handed
 * to the receiver in another order, or changed.
 */
@Timeout(60)
class PeerRecordsTest {
  private static final int SEED = Integer.getInteger("seed", 1);
  private static final Credentials CREDENTIALS = Credentials.ofOwn();

  private final List<SocketChannel> opened = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final PeerWatchdog watchdog = new PeerWatchdog(1000);

  @AfterEach
  void close() throws IOException {
    threads.shutdownNow();
    for (SocketChannel channel : opened) {
      channel.close();
    }
  }

  private record Pair<T>(T client, T server) {}

  private Pair<SocketChannel> connection() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
      SocketChannel client = SocketChannel.open(listener.getLocalAddress());
      opened.add(client);
      SocketChannel server = listener.accept();
      opened.add(server);
      return new Pair<>(client, server);
    }
  }

  /** Sessions of the ends of a connection that have proved themselves. */
  private Pair<ExtendedSSLSession> sessions() throws Exception {
    Pair<SocketChannel> sockets = connection();
    Future<ExtendedSSLSession> server = threads.submit(proving(CREDENTIALS.engine(false), sockets.server()));
    return new Pair<>(proving(CREDENTIALS.engine(true), sockets.client()).call(), server.get());
  }

  private Callable<ExtendedSSLSession> proving(SSLEngine engine, SocketChannel socket) {
    return () -> {
      new PeerTls(engine, socket, watchdog.watch(() -> {})).handshake();
      return (ExtendedSSLSession) engine.getSession();
    };
  }

  private PeerRecords records(ExtendedSSLSession session, boolean client, SocketChannel socket) throws SSLException {
    return new PeerRecords(session, client, socket, watchdog.watch(() -> {}), 3);
  }

  @Test
  void allLengthsArriveInBothDirectionsOverManyKeys() throws Exception {
    Pair<ExtendedSSLSession> sessions = sessions();
    Pair<SocketChannel> sockets = connection();
    PeerRecords client = records(sessions.client(), true, sockets.client());
    PeerRecords server = records(sessions.server(), false, sockets.server());
    Random random = new Random(SEED);
    for (int length : new int[] {1, 20, 1023, 1024, 1025, 65_535, 65_536, 65_537, 300_000}) {
      byte[] sent = new byte[length];
      random.nextBytes(sent);
      ByteBuffer direct = ByteBuffer.allocateDirect(length).put(sent).flip();
      Future<?> sending = threads.submit(() -> {
        server.writeFully(direct);
        return null;
      });
      ByteBuffer got = ByteBuffer.allocate(length);
      while (got.hasRemaining()) {
        client.readFully(got.limit(Math.min(length, got.position() + 1 + random.nextInt(100_000))));
        got.limit(length);
      }
      sending.get();
      assertThat(got.array()).isEqualTo(sent);
      client.writeFully(ByteBuffer.wrap(sent, 0, 1));
      server.readFully(got.clear().limit(1));
      assertThat(got.get(0)).isEqualTo(sent[0]);
    }
  }

  /** Records of {@code from}, as they are on the way: of 100 times their number. */
  private List<byte[]> sent(ExtendedSSLSession from, boolean byClient) throws IOException {
    Pair<SocketChannel> sockets = connection();
    PeerRecords sender = records(from, byClient, sockets.client());
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      byte[] content = new byte[100];
      content[0] = (byte) i;
      sender.writeFully(ByteBuffer.wrap(content));
      ByteBuffer record = ByteBuffer.allocate(120);
      while (record.hasRemaining()) {
        sockets.server().read(record);
      }
      records.add(record.array());
    }
    return records;
  }

  private int taken(ExtendedSSLSession by, List<byte[]> records) throws IOException {
    Pair<SocketChannel> sockets = connection();
    for (byte[] record : records) {
      sockets.client().write(ByteBuffer.wrap(record));
    }
    PeerRecords receiver = records(by, true, sockets.server());
    for (int i = 0; i < records.size(); i++) {
      ByteBuffer content = ByteBuffer.allocate(100);
      try {
        receiver.readFully(content);
      } catch (SSLException _) {
        return i;
      }
      assertThat(content.get(0)).as("the order").isEqualTo((byte) i);
    }
    return records.size();
  }

  @Test
  void aRecordThatIsMissingDoubledMovedOrNotOfThisDirectionOrConnectionIsRefused() throws Exception {
    Pair<ExtendedSSLSession> sessions = sessions();
    List<byte[]> good = sent(sessions.server(), false);
    assertThat(taken(sessions.client(), good)).isEqualTo(5);
    assertThat(taken(sessions.client(), good.subList(1, 5))).isZero();
    assertThat(taken(sessions.client(), List.of(good.get(0), good.get(0)))).isEqualTo(1);
    assertThat(taken(sessions.client(), List.of(good.get(0), good.get(2), good.get(1)))).isEqualTo(1);
    assertThat(taken(sessions.client(), List.of(good.get(0), good.get(1), good.get(2), good.get(4)))).isEqualTo(3);
    assertThat(taken(sessions.client(), sent(sessions.client(), true))).as("its own").isZero();
    assertThat(taken(sessions().client(), good)).as("another connection").isZero();
  }

  @Test
  void aRecordWithAnyBitChangedIsRefused() throws Exception {
    Pair<ExtendedSSLSession> sessions = sessions();
    byte[] good = sent(sessions.server(), false).getFirst();
    for (int bit = 8 * Integer.BYTES; bit < 8 * good.length; bit += 7) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(taken(sessions.client(), List.of(bad))).as("bit %d", bit).isZero();
    }
  }

  /** As many as {@code -Dscr.frames} says. Over Unix sockets: so many connections would use up the ports. */
  @Test
  @Timeout(3600)
  void ofRecordsWithSeededDefectsNoByteIsTakenThatWasNotSentThere(@TempDir Path directory) throws Exception {
    int frames = Integer.getInteger("scr.frames", 3_000);
    Pair<ExtendedSSLSession> sessions = sessions();
    List<byte[]> good = sent(sessions.server(), false);
    Defects hostile = new Defects(
        List.of(good.stream().map(record -> Part.of(record, 0)).toList(), List.of(Part.of(good.getFirst(), 0))), SEED);
    int whole = 0;
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(directory.resolve("s")))) {
      for (int i = 0; i < frames; i++) {
        try (SocketChannel sender = SocketChannel.open(listener.getLocalAddress());
            SocketChannel socket = listener.accept()) {
          byte[] stream = hostile.next();
          sender.write(ByteBuffer.wrap(stream));
          sender.close();
          int records = takenAsSent(records(sessions.client(), true, socket));
          assertThat(records).as("seed %d, stream %d of %d bytes", SEED, i, stream.length)
              .isLessThanOrEqualTo(stream.length / 120);
          whole += records > 0 && records == stream.length / 120 ? 1 : 0;
        }
      }
    }
    assertThat(whole).as("streams without a defect").isGreaterThan(frames / 8);
  }

  /** Returns how many records come before the connection fails, all as {@link #sent} has sent them. */
  private static int takenAsSent(PeerRecords receiver) {
    ByteBuffer content = ByteBuffer.allocate(100);
    for (int i = 0; ; i++) {
      try {
        receiver.readFully(content.clear());
      } catch (IOException _) {
        return i;
      }
      assertThat(content.get(0)).as("the order").isEqualTo((byte) i);
      assertThat(content.slice(1, 99)).as("the content").isEqualTo(ByteBuffer.allocate(99));
    }
  }

  @Test
  void aLengthThatNoRecordHasIsRefused() throws Exception {
    Pair<ExtendedSSLSession> sessions = sessions();
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, PeerRecords.RECORD_BYTES + 1}) {
      Pair<SocketChannel> sockets = connection();
      sockets.client().write(ByteBuffer.allocate(Integer.BYTES).putInt(length).flip());
      PeerRecords receiver = records(sessions.client(), true, sockets.server());
      assertThatExceptionOfType(SSLException.class).as("%d", length)
          .isThrownBy(() -> receiver.readFully(ByteBuffer.allocate(1)));
    }
  }
}
