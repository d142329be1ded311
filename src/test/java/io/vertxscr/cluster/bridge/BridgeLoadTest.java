package io.vertxscr.cluster.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.client.FakeNode;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Frames;
import io.vertxscr.protocol.Verb;
import io.vertxscr.verticle.BridgeVerticle;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an application that sends gigabytes ends no daemon. Method: a bridge in a process with a small heap. */
@Timeout(120)
class BridgeLoadTest {
  private static final int FRAME_BYTES = 16 << 20;
  private static final int LARGE_BYTES = FRAME_BYTES / 8;
  /** Of calls with so many bytes of text, which a heap of 128 MiB has room for while they wait. */
  private static final int LARGE_THAT_FIT = FRAME_BYTES / LARGE_BYTES - 1;
  private static final int CONNECTIONS = 40;
  /** Of a heap of 128 MiB, less what the collector keeps for itself, 5 KiB for each. */
  private static final int FILES_THAT_FIT = 25_000;

  @TempDir
  private Path directory;

  @Test
  void unfinishedFramesOfManyConnectionsTakeABoundedPartOfTheHeap() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process daemon = start(socket);
    List<SocketChannel> hostile = new ArrayList<>();
    try {
      for (int i = 0; i < CONNECTIONS; i++) {
        hostile.add(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
        hostile.getLast().write(ByteBuffer.allocate(4).putInt(FRAME_BYTES).flip());
        hostile.getLast().configureBlocking(false);
      }
      send(hostile);
      try (RawClient client = new RawClient(socket)) {
        assertThat(client.call("scr._.status", new JsonObject()).getString("type")).isEqualTo(Frames.MESSAGE);
      }
      assertThat(daemon.isAlive()).isTrue();
      for (SocketChannel one : hostile) {
        one.close();
      }
      try (RawClient client = new RawClient(socket)) {   // those that waited are gone: there is room for a large one
        byte[] text = new byte[FRAME_BYTES / 2];
        Arrays.fill(text, (byte) 'x');
        JsonObject body = new JsonObject().put("text", new String(text, StandardCharsets.US_ASCII));
        assertThat(client.call("scr._.status", body).getString("type")).isEqualTo(Frames.MESSAGE);
      }
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  /** As a collective call does that not all ranks make. */
  @Test
  void callsThatWaitForTheirAnswersTakeABoundedPartOfTheHeapAndLeaveRoomForSmallOnes() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process daemon = start(socket);
    JsonObject large = new JsonObject().put("text", "x".repeat(LARGE_BYTES));
    try (RawClient hostile = new RawClient(socket); RawClient other = new RawClient(socket)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        hostile.frame(Frames.send("scr._.finalize", "r" + i, large));
        if (i >= LARGE_THAT_FIT) {
          assertThat(hostile.read().orElseThrow().getInteger("failureCode")).isEqualTo(Fault.BUSY.number());
        }
      }
      assertThat(other.call("scr._.status", new JsonObject()).getString("type")).isEqualTo(Frames.MESSAGE);
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  /** Those that wait wait for this rank: it must not stay away. */
  @Test
  void aListOfFilesThatFindsNoRoomCompletesADatasetThatIsNotValid() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process daemon = start(socket);
    JsonObject large = new JsonObject().put("text", "x".repeat(LARGE_BYTES));
    try (RawClient others = new RawClient(socket); RawClient last = new RawClient(socket)) {
      for (int i = 0; i < LARGE_THAT_FIT; i++) {
        others.frame(Frames.send("scr._.finalize", "r" + i, large));
      }
      assertThat(others.call("scr._.status", new JsonObject()).getString("type")).isEqualTo(Frames.MESSAGE);
      JsonObject answer = last.call("scr._.complete-output", new JsonObject().put("run", 1).put("rank", 0)
          .put("call", 1).put("valid", true).put("files", new JsonArray().add("x".repeat(LARGE_BYTES))));
      assertThat(answer.getInteger("failureCode")).isEqualTo(Fault.NOT_VALID.number());
      assertThat(answer.getString("message")).startsWith("false, listed: false, ").contains("node n1", "-Xmx");
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  /** Each file takes kilobytes of the heap until all ranks have completed the dataset. */
  @Test
  void aListOfMoreFilesThanTheHeapHasRoomForCompletesADatasetThatIsNotValid() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process daemon = start(socket);
    try (RawClient client = new RawClient(socket)) {
      for (int files : List.of(FILES_THAT_FIT, 2 * FILES_THAT_FIT, FILES_THAT_FIT)) {
        boolean fits = files == FILES_THAT_FIT;
        JsonObject answer = client.call("scr._.complete-output", new JsonObject().put("valid", true)
            .put("files", new JsonArray(Collections.nCopies(files, "a/path/to/file"))));
        assertThat(answer.getString("message")).startsWith(fits + ", listed: " + fits);
      }
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  @Test
  void aFrameOfMillionsOfValuesIsRefusedAndOneOfMillionsOfBytesIsNot() throws Exception {
    Path socket = directory.resolve("scr.sock");
    Process daemon = start(socket);
    String begin = "{\"type\":\"send\",\"address\":\"scr._.status\",\"replyAddress\":\"r\",\"body\":{\"list\":[0";
    try (RawClient other = new RawClient(socket)) {
      for (String value : List.of(",[]", ",{}", ",1")) {
        try (RawClient hostile = new RawClient(socket)) {
          hostile.text(begin + value.repeat((FRAME_BYTES - 200) / value.length()) + "]}}");
          assertThat(hostile.read().orElseThrow().getString("message")).contains(" values in ");
          assertThat(hostile.read()).isEmpty();
        }
      }
      other.text(begin + ",\"a/path/to/file\"".repeat(FRAME_BYTES / 40) + "]}}");
      assertThat(other.read().orElseThrow().getString("type")).isEqualTo(Frames.MESSAGE);
    } finally {
      daemon.destroyForcibly().waitFor();
    }
  }

  private static Process start(Path socket) throws Exception {
    Process daemon = new ProcessBuilder(ProcessHandle.current().info().command().orElseThrow(), "-Xmx128m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", "-cp",
        System.getProperty("java.class.path"), SmallDaemon.class.getName(), socket.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    assertThat((char) daemon.getInputStream().read()).as("ready").isEqualTo('r');
    return daemon;
  }

  /** All but the last byte of each, as far as it is taken: who holds bytes for long while others wait is closed. */
  private static void send(List<SocketChannel> channels) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(FRAME_BYTES - 1);
    int[] sent = new int[channels.size()];
    long quietSince = System.nanoTime();
    while (System.nanoTime() - quietSince < TimeUnit.MILLISECONDS.toNanos(500)) {
      for (int i = 0; i < sent.length; i++) {
        int count = write(channels.get(i), bytes.duplicate().position(sent[i]));
        sent[i] += count;
        quietSince = count > 0 ? System.nanoTime() : quietSince;
      }
    }
  }

  private static int write(SocketChannel channel, ByteBuffer bytes) {
    try {
      return channel.write(bytes);
    } catch (IOException _) {
      return 0;                                           // it was closed
    }
  }

  /** A bridge and a node of the test. */
  static final class SmallDaemon {
    private SmallDaemon() {}

    /** @param arguments the socket */
    public static void main(String[] arguments) {
      Vertx vertx = Vertx.vertx();
      FakeNode node = new FakeNode("n1");
      node.hang(Verb.FINALIZE);
      node.overrides.put(Verb.COMPLETE_OUTPUT,
          call -> Future.failedFuture(new ScrException(Fault.NOT_VALID, call.getValue("valid") + ", listed: "
              + call.containsKey("files") + ", " + call.getString("trouble"))));
      vertx.deployVerticle(node)
          .compose(_ -> vertx.deployVerticle(new BridgeVerticle("n1", Path.of(arguments[0]), _ -> { })))
          .onSuccess(_ -> System.out.println("ready")).onFailure(_ -> System.exit(1));
    }
  }
}
