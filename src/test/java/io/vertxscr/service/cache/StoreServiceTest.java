package io.vertxscr.service.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Descriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.protocol.node.run.CheckStores;
import io.vertxscr.protocol.node.run.StoreToCheck;
import io.vertxscr.protocol.node.run.StoresChecked;
import io.vertxscr.recorded.FaultyDisk;
import io.vertxscr.service.Loop;
import io.vertxscr.service.VirtualTime;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: whatever keeps a node from using a store is told with both. Method: a look at the store fails. */
class StoreServiceTest {
  private final VirtualTime time = new VirtualTime(new Random(1));
  private final Loop loop = time.loop();

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorThatStaysIsToldWithNodeAndStoreAndOneThatPassesIsNot(boolean mkdir) throws IOException {
    try (FaultyDisk disk = new FaultyDisk()) {
      Path node = disk.directory("/node");
      String base = disk.directory("/ssd").toString();
      DatasetStore store =
          DatasetStore.open(new NodeDirectories(node.resolve("cache"), node.resolve("control")));
      StoreService service = new StoreService(
          loop, "n1", store, Descriptors.of(Redundancy.of(Scheme.XOR, 8), StoreDescriptor.of(base, 1)));
      CheckStores wanted = new CheckStores(List.of(new StoreToCheck(base, mkdir)));
      disk.looks(_ -> {
        throw new IOException("Input/output error");
      });
      StoresChecked failed = time.await(loop.call(() -> service.check(wanted))).result();
      assertThat(failed.problem()).get().asString()
          .startsWith("node n1: store /ssd cannot be used: ").contains("Input/output error");
      disk.looks(FaultyDisk.Look.failsOnce(_ -> true));
      assertThat(time.await(loop.call(() -> service.check(wanted))).result().problem()).isEmpty();
    }
  }
}
