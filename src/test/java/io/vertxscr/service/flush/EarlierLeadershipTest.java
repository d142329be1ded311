package io.vertxscr.service.flush;

import static io.vertxscr.prefix.metadata.Samples.TIME;
import static io.vertxscr.prefix.metadata.Samples.descriptor;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: who leads again goes by no policy of runs that it led before. Another one may have led since. */
class EarlierLeadershipTest {
  private static final FlushPolicy STANDARD = new FlushPolicy(0, false, 1, 0, FlushDescriptor.FILES);
  private static final FlushPolicy OF_A_RUN = new FlushPolicy(3, true, 2, 5, FlushDescriptor.FILES);

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final FaultyDisk disk = new FaultyDisk();
  private final PrefixPaths paths = new PrefixPaths(disk.directory("/p"));
  private final String prefix = paths.prefix().toString();
  private final LocalFiles files = new LocalFiles(disk.system());
  private final Loop loop = time.loop(files);

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  @Test
  void ofHowManyCheckpointsAreKept() {
    new PrefixIndex(paths, new LockUser("another leader", files, Clock.systemUTC()))
        .update(before -> before.enlist(List.of(descriptor(2, "b")), TIME).setCurrent("b"));
    var retention = new PrefixRetention(AdmittedPrefixes.of(loop, prefix),
        _ -> Future.succeededFuture(RestartHistory.EMPTY), _ -> {}, CachePolicy.STANDARD,
        new PrefixAccess(null, null));                    // of a change; this only looks
    retention.policy(prefix, new CachePolicy(false, false, false, false, 1, false, 0));
    assertThat(beyond(retention)).hasValue(1);
    retention.takeOver();
    assertThat(beyond(retention)).as("all are kept").isEmpty();
  }

  private OptionalInt beyond(PrefixRetention retention) {
    return time.await(loop.call(() -> retention.beyond(prefix, descriptor(1, "a")))).result();
  }

  @Test
  void ofFlushesAndOfWhatIsThere() {
    FlushShares shares = new FlushShares(STANDARD, () -> 0, _ -> {});
    shares.policy(prefix, OF_A_RUN);
    shares.begun(prefix, false);
    assertThat(shares.policy(prefix)).isEqualTo(OF_A_RUN);
    assertThat(shares.isUsed(prefix, true)).as("it was new").isFalse();
    for (int i = 1; i < Limits.MAX_PREFIXES; i++) {
      shares.policy("/p" + i, STANDARD);
      shares.used("/p" + i);
    }
    assertThat(shares.policy(prefix)).isEqualTo(OF_A_RUN);
    shares.policy("/another", OF_A_RUN);
    shares.used("/another");
    assertThat(shares.policy(prefix)).as("too long ago").isEqualTo(STANDARD);
    assertThat(shares.isUsed(prefix, true)).isTrue();
    shares.policy(prefix, OF_A_RUN);
    shares.begun(prefix, false);
    shares.takeOver(2);
    assertThat(shares.policy(prefix)).isEqualTo(STANDARD);
    assertThat(shares.isUsed(prefix, true)).as("by what the nodes remember").isTrue();
  }
}
