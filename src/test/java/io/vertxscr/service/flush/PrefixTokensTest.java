package io.vertxscr.service.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.LockTrial;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.LockTried;
import io.vertxscr.protocol.node.flush.TryLock;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.AdmittedPrefixes;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OneNode;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a leader waits for another one that has taken over, and not for itself. In virtual time. */
class PrefixTokensTest {
  private static final ScrException REFUSED = new ScrException(Fault.TAKEN_OVER, "taken over");

  private final VirtualTime time = new VirtualTime(new Random(1));
  private final FaultyDisk disk = new FaultyDisk();
  private final PrefixPaths paths = new PrefixPaths(disk.directory("/p"));
  private final String prefix = paths.prefix().toString();
  private final Loop loop = time.loop(new LocalFiles(disk.system()));
  private final List<NodeInfo> others = new ArrayList<>();
  private final Map<String, LocalFiles> filesOfOthers = new HashMap<>();
  private final List<String> tried = new ArrayList<>();
  private final Prefixes prefixes = AdmittedPrefixes.of(loop, prefix);
  private final PrefixTokens tokens = new PrefixTokens(loop, new Bus(), new OneNode() {
    @Override
    public List<NodeInfo> nodes() {
      return Stream.concat(super.nodes().stream(), others.stream()).toList();
    }
  }, prefixes);

  /** The other nodes. Each tries locks as its process sees them. */
  private final class Bus implements NodeBus {
    @Override
    public <A> Future<A> command(String node, NodeVerb verb, Object request, Class<A> answer) {
      tried.add(node);
      if (!filesOfOthers.containsKey(node)) {
        return Future.failedFuture(new ScrException(Fault.IO, "not mounted"));
      }
      return loop.prefix().run("", () -> answer.cast(new LockTried(LockTrial.isRefused(
          new PrefixPaths(disk.system().getPath(((TryLock) request).prefix())),
          new LockUser(node, filesOfOthers.get(node), Clock.systemUTC())))));
    }

    @Override
    public <A> Future<A> ask(String node, NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError(verb);
    }

    @Override
    public <A> Future<A> askLeader(NodeVerb verb, Object request, Class<A> answer) {
      throw new AssertionError(verb);
    }

    @Override
    public void onlyLeader(String leader) {
      throw new AssertionError(leader);
    }
  }

  private void other(String node, LocalFiles files) {
    other(node);
    filesOfOthers.put(node, files);
  }

  /** One on which the file system is not mounted. */
  private void other(String node) {
    others.add(new NodeInfo(node, node, "127.0.0.1", 1));
  }

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

  /** Method: the file system in memory has no locks between those who do not share an object for its files. */
  @Test
  void nothingIsTakenOverWhereLocksDoNotExcludeBetweenNodes() {
    other("n2", loop.files());
    other("n3", new LocalFiles(disk.system()));
    assertThat(hold().cause()).hasMessageContaining("node n3 was given one that node n1 holds")
        .extracting(Fault::of).isEqualTo(Fault.IO);
    assertThat(PrefixFence.newest(paths)).isEmpty();

    others.removeLast();
    tried.clear();
    assertThat(hold().result().epoch()).isEqualTo(1);
    assertThat(tried).as("n2 was tried before").isEmpty();
    loop.later(tokens::tookOver);
    assertThat(hold().result().epoch()).isEqualTo(2);
    assertThat(tried).containsExactly("n2");
    LockUser anybody = new LockUser("n2", loop.files(), Clock.systemUTC());
    assertThat(LockTrial.isRefused(paths, anybody)).as("released").isFalse();
  }

  /** There may be a thousand nodes, and thousands of directories. */
  @Test
  void whichNodesHaveTriedTheLocksIsRememberedForTheLastDirectories() {
    other("n2", loop.files());
    hold();
    loop.later(() -> tokens.renew(prefix));
    hold();
    assertThat(tried).containsExactly("n2");
    for (int i = 0; i < LockTrials.MOST_PREFIXES; i++) {
      String another = disk.directory("/p" + i).toString();
      prefixes.admit(another);
      assertThat(time.await(loop.call(() -> tokens.hold(another))).succeeded()).isTrue();
    }
    tried.clear();
    loop.later(() -> tokens.renew(prefix));
    assertThat(hold().succeeded()).isTrue();
    assertThat(tried).containsExactly("n2");
  }

  /** Its file system may not be mounted there: then nothing is to be made in the mount point. */
  @Test
  void aNodeThatDoesNotSeeTheLockKeepsNobodyFromTakingOverAndMakesNothing() throws IOException {
    try (FaultyDisk unmounted = new FaultyDisk()) {
      Path mountPoint = unmounted.directory("/p");
      LockUser user = new LockUser("n2", new LocalFiles(unmounted.system()), Clock.systemUTC());
      assertThatExceptionOfType(ScrException.class)
          .isThrownBy(() -> LockTrial.isRefused(new PrefixPaths(mountPoint), user)).withMessageContaining("not there");
      assertThat(mountPoint).isEmptyDirectory();
    }
    other("n2");
    assertThat(hold().result().epoch()).isEqualTo(1);
  }
}
