package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connections to the sockets of daemons, which may be slow to take them.
 *
 * <p>A platform thread waits in the kernel: a channel that does not block, as none does on a virtual thread, fails at
 * once where the listener is busy, and no selector has an event for it. An interrupt of the caller ends no attempt.
 */
final class DaemonDial {
  /** How long a daemon may take no connection: as long as one may be silent. */
  static final long MAX_MS = 30_000;

  private DaemonDial() {}

  /**
   * A channel that is connected, which blocks.
   *
   * @throws IOException if nobody listens there
   * @throws ScrException {@link Fault#NODE_LOST} if somebody listens and takes no connection for so long, as a daemon
   *     that is stopped does once those that wait for it are many
   */
  static SocketChannel connect(Path socket, long maxMs) throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket);
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    CompletableFuture<SocketChannel> connected = new CompletableFuture<>();
    Thread.ofPlatform().daemon().name("scr-connects").start(() -> {
      try {
        channel.connect(address);
        connected.complete(channel);
      } catch (IOException | RuntimeException e) {
        connected.completeExceptionally(e);
      }
    });
    try {
      return connected.orTimeout(maxMs, TimeUnit.MILLISECONDS).join();
    } catch (CompletionException e) {
      channel.close();                                     // which ends the attempt
      switch (e.getCause()) {
        case TimeoutException late -> throw new ScrException(Fault.NODE_LOST, "the daemon on " + socket
            + " has taken no connection for " + maxMs / 1000.0 + " s; it is stopped or hangs", late);
        case IOException nobody -> throw nobody;
        default -> throw e;
      }
    }
  }
}
