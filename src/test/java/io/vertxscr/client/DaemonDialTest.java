package io.vertxscr.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a daemon that takes no connection is given up in time, and an interrupt ends no attempt. Method: a listener
 * whose backlog is full, as that of a stopped daemon is in the end.
 */
@Timeout(60)
class DaemonDialTest {
  private static final long SHORT_MS = 200;

  @TempDir
  Path directory;
  private final List<SocketChannel> fillers = new ArrayList<>();
  private ServerSocketChannel listener;
  private Path socket;

  @BeforeEach
  void listen() throws IOException {
    socket = directory.resolve("scr.sock");
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket), 1);
  }

  @AfterEach
  void close() throws IOException {
    listener.close();
    for (SocketChannel filler : fillers) {
      filler.close();
    }
  }

  private void fillBacklog() throws IOException {
    for (boolean full = false; !full; ) {
      SocketChannel filler = SocketChannel.open(StandardProtocolFamily.UNIX);
      fillers.add(filler);
      filler.configureBlocking(false);
      try {
        filler.connect(UnixDomainSocketAddress.of(socket));
      } catch (SocketException _) {                        // that it is busy
        full = true;
      }
    }
  }

  private void assertGivenUp() {
    assertThatThrownBy(() -> DaemonDial.connect(socket, SHORT_MS))
        .hasMessageContainingAll(socket.toString(), "has taken no connection for 0.2 s", "stopped or hangs")
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.NODE_LOST));
  }

  @Test
  void aDaemonThatTakesNoConnectionIsGivenUp() throws IOException {
    fillBacklog();
    assertGivenUp();
  }

  @Test
  void itIsGivenUpOnAVirtualThreadToo() throws IOException {
    fillBacklog();
    CompletableFuture.runAsync(this::assertGivenUp, Thread.ofVirtual()::start).join();
  }

  @Test
  void aDaemonThatTakesItLateIsCalled() throws Exception {
    fillBacklog();
    Thread taker = Thread.ofPlatform().daemon().start(() -> {
      try {
        while (true) {
          listener.accept().close();
        }
      } catch (IOException _) {
        // The end of the test.
      }
    });
    try (SocketChannel channel = DaemonDial.connect(socket, DaemonDial.MAX_MS)) {
      assertThat(channel.isConnected()).isTrue();
    }
    listener.close();
    taker.join();
  }

  @Test
  void anInterruptEndsNoAttemptAndIsKept() throws Exception {
    Thread.currentThread().interrupt();
    try (SocketChannel channel = DaemonDial.connect(socket, DaemonDial.MAX_MS)) {
      assertThat(channel.isConnected()).isTrue();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
