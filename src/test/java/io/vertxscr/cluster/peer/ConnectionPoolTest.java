package io.vertxscr.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: every connection is counted once, none is in two hands or left open, and the limits hold. */
class ConnectionPoolTest {
  private static final PeerChannel.Ending LEFT = new PeerChannel.Ending(Fault.NODE_LOST, "left");
  private static final PeerChannel.Ending STOPPING = new PeerChannel.Ending(Fault.STOPPING, "stopping");

  private final PeerWatchdog watchdog = new PeerWatchdog(250);
  private final List<PeerChannel> ever = new ArrayList<>();

  @AfterEach
  void closeAll() {
    ever.forEach(PeerChannel::close);
    watchdog.close();
  }

  @Test
  void atTheLimitAnIdleConnectionGoesAndOneInUseStays() throws Exception {
    ConnectionPool pool = new ConnectionPool(2, 8);
    PeerChannel first = add(pool, "n1");
    PeerChannel second = add(pool, "n2");
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> add(pool, "n3"))
        .extracting(ScrException::fault).isEqualTo(Fault.BUSY);
    pool.park("n2", second);
    add(pool, "n3");
    assertThat(first.isOpen()).isTrue();
    assertThat(second.isOpen()).isFalse();
    assertThat(pool.take("n2")).isNull();
    assertThat(pool.connections()).isEqualTo(2);
  }

  @Test
  void whatIsParkedAfterTheEndIsClosed() throws Exception {
    ConnectionPool pool = new ConnectionPool(4, 8);
    PeerChannel aborted = add(pool, "n1");
    pool.abort("n1", LEFT);
    pool.park("n1", aborted);
    assertThat(pool.take("n1")).isNull();
    PeerChannel late = add(pool, "n1");
    pool.close(STOPPING);
    pool.park("n1", late);
    assertThat(ever).noneMatch(PeerChannel::isOpen);
    assertThat(pool.connections()).isZero();
    assertThatExceptionOfType(ScrException.class).isThrownBy(() -> add(pool, "n1"))
        .extracting(ScrException::fault).isEqualTo(Fault.STOPPING);
  }

  @Test
  void randomWalksKeepTheCounts() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("ConnectionPoolTest seed " + seed);
    Random random = new Random(seed);
    ConnectionPool pool = new ConnectionPool(9, 2);
    List<String> nodes = List.of("n1", "n2", "n3", "n4");
    List<Object[]> inUse = new ArrayList<>();
    for (int step = 0; step < 3000; step++) {
      String node = nodes.get(random.nextInt(nodes.size()));
      switch (random.nextInt(8)) {
        case 0 -> pool.abort(node, LEFT);
        case 1, 2, 3 -> {
          PeerChannel taken = pool.take(node);
          if (taken == null && inUse.size() < 9) {
            taken = add(pool, node);
          }
          if (taken != null) {
            PeerChannel mine = taken;
            assertThat(inUse).as("seed %d, step %d", seed, step).noneMatch(other -> other[1] == mine);
            assertThat(mine.isOpen()).isTrue();
            inUse.add(new Object[] {node, mine});
          }
        }
        default -> {
          if (!inUse.isEmpty()) {
            Object[] done = inUse.remove(random.nextInt(inUse.size()));
            if (random.nextInt(4) == 0) {
              pool.drop((String) done[0], (PeerChannel) done[1]);
            } else {
              pool.park((String) done[0], (PeerChannel) done[1]);
            }
          }
        }
      }
      assertThat(pool.connections()).as("seed %d, step %d", seed, step)
          .isEqualTo(pool.idle() + inUse.size()).isLessThanOrEqualTo(9);
    }
    inUse.forEach(use -> pool.drop((String) use[0], (PeerChannel) use[1]));
    assertThat(ever.stream().filter(PeerChannel::isOpen).count()).isEqualTo(pool.idle());
  }

  private PeerChannel add(ConnectionPool pool, String node) throws IOException {
    PeerChannel connection = new PeerChannel("node " + node, SocketChannel.open(), watchdog);
    ever.add(connection);
    pool.add(node, connection);
    return connection;
  }
}
