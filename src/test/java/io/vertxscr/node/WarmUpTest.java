package io.vertxscr.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a spare has done a rebuild before it is needed, and nothing of that is left. Method: its loop in virtual time,
 * real files and connections.
 */
@Timeout(60)
class WarmUpTest {
  private static final int STEPS = 5;
  private static final int LARGE_BYTES = 300_000;

  @TempDir
  private Path directory;

  private NodeResources ground;
  private Loop loop;
  private VirtualTime time;
  private final List<String> jobs = new ArrayList<>();

  @BeforeEach
  void open() {
    Settings settings = Settings.load(Map.of("SCR_CNTL_BASE", directory.resolve("cntl").toString(),
        "SCR_CACHE_BASE", directory.resolve("cache").toString(), "SCR_JOB_ID", "1"), Optional.empty());
    ground = NodeResources.open(
        new NodeOptions("spare", settings, Credentials.ofOwn(), "127.0.0.1", 0, true));
    time = new VirtualTime(new Random(1));
    loop = time.loop();
    time.watchJobs((_, what) -> jobs.add(what));
  }

  @AfterEach
  void close() {
    ground.close();
  }

  @Test
  void itRebuildsAndLeavesNothing() throws IOException {
    time.await(warmUp(() -> true));
    assertThat(jobs).filteredOn("warm up"::equals).hasSize(STEPS);
    assertThat(files()).isEmpty();
  }

  @Test
  void itEndsWhenARankComes() throws IOException {
    time.await(warmUp(() -> jobs.size() < 3));
    assertThat(jobs).filteredOn("warm up"::equals).hasSize(2);
    assertThat(files()).isEmpty();
  }

  @Test
  void besideRanksItDoesTheSame() throws IOException {
    time.await(new WarmUp(loop, ground, () -> true, Optional.of(() -> {}), LARGE_BYTES).run());
    assertThat(jobs).filteredOn("warm up"::equals).hasSize(STEPS);
    assertThat(files()).isEmpty();
  }

  @Test
  void itWantsNothingOfWhatOneBeforeHasLeft() throws IOException {
    Path left = ground.store().scratch(directory.resolve("cache").toString(), "warm-up");
    Files.createDirectories(left.resolve("control/rehearsal-0"));
    Files.writeString(left.resolve("prefix"), "no directory");
    time.await(warmUp(() -> true));
    assertThat(jobs).filteredOn("warm up"::equals).hasSize(STEPS);
    assertThat(files()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"PARTNER", "XOR", "RS"})
  void aSampleIsRebuiltAsItWas(Scheme scheme) throws IOException {
    SampleCaches caches = new SampleCaches(directory.resolve("sample"), LARGE_BYTES);
    caches.checkpoint(1, "one", Redundancy.of(scheme, SampleCaches.NODES), caches.files());
    for (int rank = 0; rank < SampleCaches.NODES; rank++) {
      caches.rebuild(1, rank, caches.files());
    }
    Trees.delete(directory.resolve("sample"));
  }

  private Future<Void> warmUp(BooleanSupplier unused) {
    return new WarmUp(loop, ground, unused, Optional.empty(), LARGE_BYTES).run();
  }

  /** What is in bins. */
  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(path -> path.toString().contains(".trash/")).toList();
    }
  }
}
