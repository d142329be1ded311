package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.client.Output;
import io.vertxscr.client.Restart;
import io.vertxscr.client.Scr;
import io.vertxscr.cluster.LocalPorts;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: daemons flush to a real server with the S3 protocol and fetch from it. Large files go in parts; commands see
 * what is there, and a wrong byte. Method: S3Proxy, a process of its own, on a directory; daemons and caches are lost.
 */
class ObjectStoreIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", "."));
  private static final Path PREFIX = Path.of("/ckpt/run");
  private static final int LARGE_BYTES = (20 << 20) + 77;

  @TempDir
  private Path directory;

  private static byte[] bytes(int rank) {
    byte[] bytes = new byte[rank == 0 ? LARGE_BYTES : 10_007 * rank];
    new Random(rank).nextBytes(bytes);
    return bytes;
  }

  private Process server(int port) throws IOException {
    Files.createDirectories(directory.resolve("store/bucket"));
    Path properties = Files.write(directory.resolve("s3proxy.conf"), List.of("s3proxy.authorization=aws-v2-or-v4",
        "s3proxy.identity=access", "s3proxy.credential=of-this-test-alone",
        "s3proxy.endpoint=http://127.0.0.1:" + port, "jclouds.provider=filesystem-nio2",
        "jclouds.filesystem.basedir=" + directory.resolve("store")));
    return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx256m",
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", HOME.resolve("target/s3proxy/s3proxy.jar").toString(),
        "--properties", properties.toString()).redirectErrorStream(true)
        .redirectOutput(directory.resolve("server.log").toFile()).start();
  }

  private static Map<String, String> environment(int port) {
    return Map.of("SCR_OBJECT_MOUNT", "/ckpt=s3://bucket/some/prefix", "SCR_OBJECT_PATH_STYLE", "1",
        "SCR_OBJECT_PART", "8MB", "SCR_PREFIX", PREFIX.toString(), "SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0",
        "AWS_ENDPOINT_URL_S3", "http://127.0.0.1:" + port, "AWS_ACCESS_KEY_ID", "access",
        "AWS_SECRET_ACCESS_KEY", "of-this-test-alone");
  }

  private static boolean answers(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  private static int write(Scr scr) throws IOException {
    assertThat(scr.restart()).isEmpty();
    for (int step = 1; step <= 2; step++) {
      try (Output output = scr.startCheckpoint("step-" + step)) {
        Files.write(output.route(PREFIX + "/step-" + step + "/rank-" + scr.rank()), bytes(scr.rank()));
        output.complete(true);
      }
    }
    scr.finish();
    return 0;
  }

  private static String read(Scr scr) throws IOException {
    try (Restart restart = scr.restart().orElseThrow()) {
      assertThat(restart.route("rank-" + scr.rank())).hasBinaryContent(bytes(scr.rank()));
      restart.complete(true);
      return restart.name();
    }
  }

  /** What a command prints, and its exit code before it. */
  private String command(Map<String, String> environment, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of(HOME.resolve("bin/scr").toString()));
    command.addAll(List.of(words));
    Path output = Files.createTempFile(directory, "command", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SCR_"));
    builder.environment().putAll(environment);
    builder.environment().putAll(Map.of("SCR_JAVA_HOME", System.getProperty("java.home"), "SCR_AOT", "0",
        "SCR_JAVA_OPTIONS", ShortLife.javaOptions()));
    int code = builder.start().waitFor();
    return code + " " + Files.readString(output);
  }

  private static String output(DaemonCluster cluster) {
    return cluster.alive().stream().map(DaemonProcess::output).reduce("", String::concat);
  }

  @Test
  void whatIsFlushedToAServerOutlivesAllNodesAndAWrongByteIsFound() throws Exception {
    int port = LocalPorts.free(1).getFirst();
    Map<String, String> environment = environment(port);
    Process server = server(port);
    try (DaemonCluster cluster = new DaemonCluster(environment)) {
      Eventually.holds("the server", () -> answers(port));
      cluster.startSoon("a");
      cluster.startSoon("b");
      cluster.awaitReady();
      assertThat(EmbeddedRun.all(SocketRun.twoOnEach(PREFIX, cluster.alive()).start(ObjectStoreIT::write)))
          .containsOnly(0);
      String flushed = output(cluster);
      cluster.killAll();
      cluster.wipe("a");
      cluster.wipe("b");
      Path stored = directory.resolve("store/bucket/some/prefix/run");
      for (int rank = 0; rank < 4; rank++) {
        assertThat(stored.resolve("step-2/rank-" + rank)).as(flushed).hasBinaryContent(bytes(rank));
      }
      try (var left = Files.walk(directory.resolve("store"))) {
        assertThat(left.map(Path::toString)).as("drafts").noneMatch(name -> name.contains("scr-draft"));
      }

      Path socket = cluster.start("a").socket();
      assertThat(EmbeddedRun.all(
          new SocketRun(PREFIX, Collections.nCopies(4, socket)).start(ObjectStoreIT::read))).containsOnly("step-2");
      assertThat(flushed + output(cluster)).doesNotContain("of-this-test-alone");

      assertThat(command(environment, "index", "--list")).startsWith("0 ").contains("step-1", "step-2");
      Path wrong = stored.resolve("step-2/rank-0");
      byte[] bytes = Files.readAllBytes(wrong);
      bytes[bytes.length / 2] ^= 1;
      Files.write(wrong, bytes);
      assertThat(command(environment, "index", "--verify", "step-2")).doesNotStartWith("0 ").contains("rank-0");
    } finally {
      server.destroy();
      server.waitFor();
    }
  }
}
