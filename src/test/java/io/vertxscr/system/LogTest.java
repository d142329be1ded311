package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertxscr.client.Output;
import io.vertxscr.format.prefix.LogLine;
import io.vertxscr.model.ScrException;
import io.vertxscr.node.EmbeddedCluster;
import io.vertxscr.prefix.metadata.LogFile;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the log says what happened, and harms nobody. */
class LogTest {
  @TempDir
  Path directory;
  private Vertx vertx;
  private Path prefix;

  @BeforeEach
  void open() throws Exception {
    vertx = Vertx.vertx();
    prefix = Files.createDirectories(directory.resolve("prefix"));
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private EmbeddedCluster start(Map<String, String> log) {
    Map<String, String> parameters = new HashMap<>(Map.of("SCR_FLUSH", "1", "SCR_FLUSH_ASYNC", "0",
        "SCR_CACHE_SIZE", "2", "SCR_JOB_ID", "439"));
    parameters.putAll(log);
    EmbeddedCluster cluster = new EmbeddedCluster(vertx, TestSettings.in(directory, parameters), true);
    List.of("n1", "n2").forEach(cluster::start);
    return cluster;
  }

  private void run(EmbeddedCluster cluster) throws Exception {
    EmbeddedRun.all(new EmbeddedRun(cluster, prefix, List.of("n1", "n2")).start(scr -> {
      RankProgram.restart(scr, 2);
      RankProgram.checkpoint(scr, prefix, 1, 2);
      Output bad = scr.startCheckpoint("step-2");
      assertThatThrownBy(() -> bad.complete(scr.rank() != 1)).isInstanceOf(ScrException.class);
      scr.finish();
      return 0;
    }));
  }

  private List<String> words() {
    return new LogFile(new PrefixPaths(prefix)).read().stream()
        .map(line -> line.event().or(line::transfer).orElseThrow()).toList();
  }

  @Test
  void aRunCanBeFollowedInTheLogOfItsPrefixDirectory() throws Exception {
    try (EmbeddedCluster cluster = start(Map.of())) {
      run(cluster);
      run(cluster);
    }
    assertThat(words()).containsExactly("START", "RUN_START", "COMPUTE_START",
        "COMPUTE_END", "CHECKPOINT_START", "CHECKPOINT_END", "WRITE", "ENCODE", "CHECKPOINT", "COMPUTE_START",
        "FLUSH_START", "FLUSH_SUCCESS", "FLUSH_SYNC",
        "COMPUTE_END", "CHECKPOINT_START", "CHECKPOINT_END", "COMPUTE_START", "COMPUTE_END", "RUN_END",
        "REBUILD_START", "REBUILD_SUCCESS", "RUN_START", "COMPUTE_START", "RESTART_SUCCESS",
        "COMPUTE_END", "CHECKPOINT_START", "CHECKPOINT_END", "WRITE", "ENCODE", "CHECKPOINT", "COMPUTE_START",
        "FLUSH_START", "FLUSH_SUCCESS", "FLUSH_SYNC",
        "COMPUTE_END", "CHECKPOINT_START", "CHECKPOINT_END", "COMPUTE_START", "COMPUTE_END", "RUN_END");
    List<LogLine> lines = new LogFile(new PrefixPaths(prefix)).read();
    assertThat(lines).allSatisfy(line -> {
      assertThat(line.host()).isEqualTo("n1");
      assertThat(line.jobId()).isEqualTo("439");
    });
    assertThat(lines.get(4).fields()).containsEntry("dset", "1").containsEntry("name", "step-1");
    assertThat(lines.get(15).fields().get("note")).contains("discarded", "rank 1");
    assertThat(lines.getLast().fields().get("note")).contains("finalized");
  }

  @Test
  void halfALineOfACrashSpoilsNoOther() throws Exception {
    Files.writeString(Files.createDirectories(prefix.resolve(".scr")).resolve("log"), "2026-11-20T11:58:50: host=no");
    try (EmbeddedCluster cluster = start(Map.of())) {
      run(cluster);
    }
    assertThat(words().getFirst()).isEqualTo("START");
  }

  @Test
  void whereItIsTurnedOffNothingIsWritten() throws Exception {
    for (String off : List.of("SCR_LOG_ENABLE", "SCR_LOG_TXT_ENABLE")) {
      try (EmbeddedCluster cluster = start(Map.of(off, "0"))) {
        run(cluster);
      }
      assertThat(prefix.resolve(".scr/log")).doesNotExist();
    }
  }

  @Test
  void theSameLinesGoToSyslogAsTheFacilityAndLevelThatAreWanted() throws Exception {
    try (DatagramSocket syslog = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      syslog.setSoTimeout(EmbeddedRun.PATIENCE_S * 1000);
      try (EmbeddedCluster cluster = start(Map.of("SCR_LOG_SYSLOG_ENABLE", "1", "SCR_LOG_SYSLOG_HOST", "127.0.0.1",
          "SCR_LOG_SYSLOG_PORT", "" + syslog.getLocalPort(), "SCR_LOG_SYSLOG_FACILITY", "LOG_LOCAL3",
          "SCR_LOG_SYSLOG_LEVEL", "LOG_NOTICE", "SCR_LOG_SYSLOG_PREFIX", "heat"))) {
        run(cluster);
      }
      List<LogLine> written = new LogFile(new PrefixPaths(prefix)).read();
      Pattern form = Pattern.compile("<157>[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} n1 heat: (.*)");
      List<LogLine> heard = new ArrayList<>();
      while (heard.size() < written.size()) {
        DatagramPacket packet = new DatagramPacket(new byte[4096], 4096);
        syslog.receive(packet);
        Matcher line = form.matcher(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8));
        assertThat(line.matches()).isTrue();
        heard.add(LogLine.decode(line.group(1)).orElseThrow());
      }
      assertThat(heard).isEqualTo(written).isNotEmpty();
    }
  }

  @Test
  void aLogThatCannotBeWrittenEndsNoRun() throws Exception {
    Files.createDirectories(prefix.resolve(".scr/log"));   // no file can be there
    try (EmbeddedCluster cluster = start(Map.of())) {
      run(cluster);
    }
    assertThat(prefix.resolve(".scr/halt.scr")).exists();
  }
}
