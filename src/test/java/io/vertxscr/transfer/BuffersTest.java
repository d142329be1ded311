package io.vertxscr.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Goal: no buffer is ever in two hands, none is lost, and there are never more than allowed. */
class BuffersTest {
  @Test
  void aBufferComesBackClearedAndIsUsedAgain() {
    Buffers buffers = new Buffers(64, 2);
    ByteBuffer first;
    try (var lease = buffers.lease()) {
      first = lease.bytes();
      first.position(5).limit(9);
    }
    try (var lease = buffers.lease()) {
      assertThat(lease.bytes()).isSameAs(first);
      assertThat(lease.bytes().isDirect()).isTrue();
      assertThat(lease.bytes().remaining()).isEqualTo(64);
    }
  }

  @Test
  void aLeaseGivesItsBufferBackOnceAndKeepsNothing() {
    Buffers buffers = new Buffers(64, 2);
    var lease = buffers.lease();
    lease.close();
    lease.close();
    assertThat(buffers.leased()).isZero();
    assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lease::bytes);
    try (var one = buffers.lease(); var other = buffers.lease()) {
      assertThat(one.bytes()).isNotSameAs(other.bytes());
    }
  }

  @Test
  void randomWalksNeverHandOutABufferTwice() {
    long seed = Long.getLong("seed", System.nanoTime());
    System.out.println("BuffersTest seed " + seed);
    Random random = new Random(seed);
    Buffers buffers = new Buffers(8, 5);
    Set<ByteBuffer> ever = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<ByteBuffer> out = Collections.newSetFromMap(new IdentityHashMap<>());
    List<Buffers.Lease> leases = new ArrayList<>();
    for (int step = 0; step < 10_000; step++) {
      if (random.nextInt(5) >= 2 && leases.size() < 5) {
        leases.add(buffers.lease());
        assertThat(out.add(leases.getLast().bytes())).as("seed %d, step %d", seed, step).isTrue();
        ever.add(leases.getLast().bytes());
      } else if (!leases.isEmpty()) {
        Buffers.Lease back = leases.remove(random.nextInt(leases.size()));
        out.remove(back.bytes());
        back.close();
      }
      assertThat(buffers.leased()).isEqualTo(leases.size());
    }
    assertThat(ever).hasSize(5);
  }

  @Test
  void oneBufferTooManyIsRefused() {
    Buffers buffers = new Buffers(8, 1);
    try (var _ = buffers.lease()) {
      assertThatExceptionOfType(ScrException.class).isThrownBy(buffers::lease)
          .extracting(ScrException::fault).isEqualTo(Fault.BUSY);
    }
    buffers.lease().close();
  }
}
