package io.vertxscr.service.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.Loop;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a leader waits for another one that has taken over, and not for itself. In virtual time. */
class PrefixTokensTest {
  private static final ScrException REFUSED = new ScrException(Fault.NOT_LEADER, "taken over");

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final FaultyDisk disk = new FaultyDisk();
  private final PrefixPaths paths = new PrefixPaths(disk.directory("/p"));
  private final String prefix = paths.prefix().toString();
  private final Loop loop = time.loop(new LocalFiles(disk.system()));
  private final PrefixTokens tokens = new PrefixTokens(loop, new OneNode(), new Prefixes(loop, "n1"));

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private Future<PrefixToken> hold() {
    return time.await(loop.call(() -> tokens.hold(prefix)));
  }

  private Throwable refused() {
    return time.await(loop.call(() -> tokens.<Void>failed(prefix, REFUSED))).cause();
  }

  /** A step of one dataset has failed; then a node refuses another one that has begun before. */
  @Test
  void whatItsOwnNewerTokenHasRefusedIsTriedAgainAtOnceByThatToken() {
    PrefixToken first = hold().result();
    loop.later(() -> tokens.renew(prefix));
    PrefixToken second = hold().result();
    assertThat(second.epoch()).isEqualTo(first.epoch() + 1);
    assertThat(Fault.of(refused())).isEqualTo(Fault.BUSY);
    assertThat(hold().result()).isEqualTo(second);
  }

  @Test
  void whatAnotherLeaderHasRefusedWaits() {
    PrefixToken mine = hold().result();
    LockUser other = new LockUser("n2", new LocalFiles(disk.system()), Clock.systemUTC());
    PrefixToken newer = PrefixFence.takeOver(paths, other, "n2", PrefixToken.id(7));
    assertThat(Fault.of(refused())).isEqualTo(Fault.BUSY);
    assertThat(Fault.of(hold().cause())).as("leaves it to the other one").isEqualTo(Fault.BUSY);
    time.runUntil(() -> false, Duration.ofSeconds(3));
    assertThat(hold().result().epoch()).isEqualTo(newer.epoch() + 1).isEqualTo(mine.epoch() + 2);
  }
}
