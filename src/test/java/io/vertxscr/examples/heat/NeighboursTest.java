package io.vertxscr.examples.heat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: every wait for a neighbour ends with an error that names it, for any behaviour of the peer. */
class NeighboursTest {
  private static final HeatProblem PROBLEM = new HeatProblem(8, 5, 0);
  private static final int PATIENT_MS = 10_000;
  private static final int IMPATIENT_MS = 100;

  @TempDir private Path directory;

  @Test
  void aNeighbourThatNeverAppearsIsNamed() {
    assertThatThrownBy(() -> Neighbours.join(options(0, IMPATIENT_MS)))
        .isInstanceOf(NeighbourLostException.class).hasMessageContaining("rank 1 has not appeared");
    assertThatThrownBy(() -> Neighbours.join(options(1, IMPATIENT_MS)))
        .isInstanceOf(NeighbourLostException.class).hasMessageContaining("rank 0 has not connected");
  }

  @Test
  void aNeighbourThatNobodyListensForIsNamed() throws Exception {
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      new Rendezvous(directory).publish(1, (InetSocketAddress) closed.getLocalSocketAddress());
    }
    assertThatThrownBy(() -> Neighbours.join(options(0, PATIENT_MS)))
        .isInstanceOf(NeighbourLostException.class).hasMessageContaining("cannot reach rank 1");
  }

  @Test
  void aRankThatIsAnnouncedTwiceIsRefused() throws Exception {
    new Rendezvous(directory).publish(1, new InetSocketAddress("127.0.0.1", 9));
    assertThatThrownBy(() -> Neighbours.join(options(1, PATIENT_MS)))
        .isInstanceOf(IOException.class).hasMessageContaining("rank 1 was announced");
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(directory.resolve("rank_1"));
    }
  }

  @Test
  void strangersAreDroppedAndTheNeighbourIsStillHeard() throws Exception {
    CompletableFuture<Neighbours> lower = joinLater(PATIENT_MS);
    try (Socket silent = connect(); Socket rude = connect(); Socket gone = connect()) {
      rude.getOutputStream().write(new byte[64]);
      silent.shutdownOutput();
      gone.close();
      try (Neighbours upper = Neighbours.join(options(0, PATIENT_MS)); Neighbours joined = lower.get()) {
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> written(joined));
        upper.written();
        written.get();
      }
    }
  }

  @Test
  void aNeighbourWithOtherOptionsIsRefused() throws Exception {
    int[][] wrong = {{9, 2, 0}, {8, 3, 0}, {8, 2, 1}};
    for (int[] options : wrong) {
      CompletableFuture<Neighbours> lower = joinLater(PATIENT_MS);
      try (Socket socket = connect()) {
        hello(socket, options);
        assertThatThrownBy(lower::get).cause().cause().hasMessageContaining("their options disagree");
      }
      Files.delete(directory.resolve("rank_1"));
    }
  }

  @Test
  void aNeighbourThatFallsSilentIsNamedWithTheStep() throws Exception {
    CompletableFuture<Neighbours> lower = joinLater(IMPATIENT_MS);
    try (Socket socket = connect()) {
      hello(socket, 8, 2, 0);
      try (Neighbours neighbours = lower.get()) {
        Block block = block(3);
        assertThatThrownBy(() -> neighbours.exchange(block)).isInstanceOf(NeighbourLostException.class)
            .hasMessageContaining("rank 1, step 3: neighbour rank 0 did not answer within 100 ms");
      }
    }
  }

  @Test
  void aNeighbourThatDiesInTheMiddleOfARowIsNamedWithTheStep() throws Exception {
    // Every number of bytes between nothing and one less than the message.
    for (int bytes = 0; bytes < 8 + 64; bytes++) {
      CompletableFuture<Neighbours> lower = joinLater(PATIENT_MS);
      try (Socket socket = connect()) {
        hello(socket, 8, 2, 0);
        socket.getOutputStream().write(new byte[bytes]);
        socket.shutdownOutput();
        try (Neighbours neighbours = lower.get()) {
          assertThatThrownBy(() -> neighbours.exchange(block(0))).isInstanceOf(NeighbourLostException.class)
              .hasMessageContaining("rank 1, step 0: neighbour rank 0 ended its connection");
        }
      }
      Files.delete(directory.resolve("rank_1"));
    }
  }

  @Test
  void aNeighbourAtAnotherStepIsRefused() throws Exception {
    CompletableFuture<Neighbours> lower = joinLater(PATIENT_MS);
    try (Socket socket = connect()) {
      hello(socket, 8, 2, 0);
      socket.getOutputStream().write(ByteBuffer.allocate(8 + 64).putLong(4).array());
      try (Neighbours neighbours = lower.get()) {
        assertThatThrownBy(() -> neighbours.exchange(block(3))).isInstanceOf(IOException.class)
            .hasMessageContaining("at step 3, its neighbour rank 0 at step 4");
      }
    }
  }

  @Test
  void anInterruptEndsEveryWait() throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Neighbours.join(options(0, PATIENT_MS))).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Neighbours.join(options(1, PATIENT_MS))).isInstanceOf(IOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void written(Neighbours neighbours) {
    try {
      neighbours.written();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rank 1 of 2, on another thread. */
  private CompletableFuture<Neighbours> joinLater(int timeoutMs) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return Neighbours.join(options(1, timeoutMs));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  private Socket connect() throws IOException {
    InetSocketAddress address = new Rendezvous(directory).await(1, Deadline.in(PATIENT_MS));
    return new Socket(address.getAddress(), address.getPort());
  }

  private static void hello(Socket socket, int... options) throws IOException {
    ByteBuffer hello = ByteBuffer.allocate(16).put("HEAT".getBytes(StandardCharsets.US_ASCII));
    for (int option : options) {
      hello.putInt(option);
    }
    socket.getOutputStream().write(hello.array());
  }

  private static Block block(int step) {
    Block block = new Block(8, PROBLEM.rowsOf(1, 2));
    block.setStep(step);
    return block;
  }

  private HeatOptions options(int rank, int timeoutMs) {
    return new HeatOptions(rank, 2, PROBLEM, "127.0.0.1", directory, directory, timeoutMs);
  }
}
