package io.vertxscr.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cluster.tls.Credentials;
import io.vertxscr.config.Settings;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Goal: users, allocations and nodes that share a base directory have their own directories below it. */
class NodeOptionsTest {
  private static NodeDirectories directories(String user, Map<String, String> job, String node) {
    Map<String, String> environment = new HashMap<>(
        Map.of("SCR_CNTL_BASE", "/dev/shm", "SCR_CACHE_BASE", "/ssd", "USER", user));
    environment.putAll(job);
    return new NodeOptions(node, Settings.load(environment, Optional.empty()),
        Credentials.ofOwn(), "127.0.0.1", 0, true).directories();
  }

  @Test
  void controlAndCacheDirectoriesHaveUserAllocationAndNodeInTheirNames() {
    NodeDirectories of = directories("user1", Map.of("SLURM_JOB_ID", "1145655"), "n1");
    assertThat(of.control()).isEqualTo(Path.of("/dev/shm/user1/scr.1145655/n1"));
    assertThat(of.cache()).isEqualTo(Path.of("/ssd/user1/scr.1145655/n1"));
    assertThat(of.cache("/ram").path()).isEqualTo("/ram/user1/scr.1145655/n1");
    assertThat(directories("user2", Map.of("SCR_JOB_ID", "7"), "n2").cache()).isEqualTo(Path.of("/ssd/user2/scr.7/n2"));
    assertThat(directories("user2", Map.of("SCR_USER_NAME", "user3"), "n2").control())
        .isEqualTo(Path.of("/dev/shm/user3/scr.local/n2"));
  }
}
