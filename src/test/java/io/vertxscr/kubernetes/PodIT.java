package io.vertxscr.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.vertxscr.cli.ScrCommand;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: the daemon of each manifest starts in a pod as the manifest describes it, and serves. Method: a read-only root
 * file system of its own, with what a kubelet mounts into it, with its owners and modes; another network; user 10001
 * without any capability; command line and environment from the manifest. Needs root and {@code unshare}.
 */
@Timeout(120)
class PodIT {
  private static final String ADDRESS = "10.244.0.7";
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  /** What the runtime and the kubelet do before the daemon begins; $1 is the mode of the image's /scr. */
  private static final String POD = """
      set -eu
      R=$POD_ROOT; mode=$1; node=$2; java_home=$3; shift 3
      ip link set lo up; ip address add ADDRESS/32 dev lo
      mount -t tmpfs -o mode=0755 image "$R"
      mkdir -p "$R"/{usr,etc/scr,proc,dev,tmp,prefix,scr,cp} "$R$java_home"
      mount --rbind /usr "$R/usr"; mount --rbind /proc "$R/proc"; mount --rbind /dev "$R/dev"
      mount --bind "$java_home" "$R$java_home"
      for link in bin lib lib64; do [ ! -e /$link ] || ln -s usr/$link "$R/$link"; done
      cp /etc/ld.so.cache "$R/etc"
      echo 'hosts: files' > "$R/etc/nsswitch.conf"
      echo 'ADDRESS scr.scr.svc.cluster.local training.training.svc.cluster.local pod' > "$R/etc/hosts"
      chown 10001:10001 "$R/scr"; chmod "$mode" "$R/scr"
      if [ "$node" = emptyDir ]; then
        mkdir "$R/scr/node"; mount -t tmpfs -o mode=2777,uid=0,gid=10001 emptyDir "$R/scr/node"
      else
        mount -t tmpfs -o mode=0700,uid=10001,gid=10001 hostPath "$R/scr"
      fi
      mount -t tmpfs -o mode=2777,uid=0,gid=10001 emptyDir "$R/tmp"
      mount -t tmpfs -o mode=3777,uid=0,gid=10001 secret "$R/etc/scr"
      mkdir "$R/etc/scr/..data_1"; ln -s ..data_1 "$R/etc/scr/..data"
      for key in secret token; do
        echo TOKEN > "$R/etc/scr/..data/$key"; ln -s "..data/$key" "$R/etc/scr/$key"
        chown 0:10001 "$R/etc/scr/..data/$key"; chmod 0440 "$R/etc/scr/..data/$key"
      done
      mount -o remount,ro "$R/etc/scr"
      i=0; classes=
      for entry in ${CLASS_PATH//:/ }; do
        i=$((i + 1)); at=/cp/$i
        if [ -d "$entry" ]; then mkdir "$R$at"; elif [ -e "$entry" ]; then at=$at.jar; touch "$R$at"; else continue; fi
        mount --bind "$entry" "$R$at"; classes=$classes:$at
      done
      mount -o remount,ro "$R"
      cd /
      exec chroot "$R" setpriv --reuid=10001 --regid=10001 --groups=10001 --bounding-set=-all --inh-caps=-all \\
        --no-new-privs "$java_home/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "${classes#:}" "$@"
      """.replace("ADDRESS", ADDRESS).replace("TOKEN", TOKEN);

  @TempDir
  private Path directory;
  private Process pod;

  private void start(Manifest manifest, String modeOfScr) throws Exception {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "not root");
    Assumptions.assumeTrue(new ProcessBuilder("unshare", "--mount", "--net", "setpriv", "--no-new-privs", "ip", "link")
        .redirectErrorStream(true).start().waitFor() == 0, "no namespaces, or no setpriv or ip");
    Container daemon = manifest.daemon();
    List<String> line = new ArrayList<>(List.of("unshare", "--mount", "--net", "--propagation=private", "bash", "-c",
        POD, "pod", modeOfScr, manifest == Manifest.SIDECAR ? "emptyDir" : "hostPath", System.getProperty("java.home"),
        ScrCommand.class.getName()));
    daemon.getCommand().stream().skip(1).forEach(line::add);
    Map<String, String> values = Map.of("$(POD_IP)", ADDRESS, "$(NODE_NAME)", "worker-7", "$(INDEX)", "0");
    for (String argument : daemon.getArgs()) {
      for (Map.Entry<String, String> value : values.entrySet()) {
        argument = argument.replace(value.getKey(), value.getValue());
      }
      line.add(argument);
    }
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(said().toFile());
    builder.environment().keySet().removeIf(name -> !name.equals("PATH"));
    builder.environment().put("POD_ROOT", Files.createDirectory(directory.resolve("root")).toString());
    builder.environment().put("CLASS_PATH", System.getProperty("java.class.path"));
    daemon.getEnv().stream().filter(variable -> variable.getValue() != null)
        .forEach(variable -> builder.environment().put(variable.getName(), variable.getValue()));
    pod = builder.start();
  }

  @AfterEach
  void end() throws Exception {
    if (pod != null) {
      pod.destroyForcibly().waitFor();
    }
  }

  private Path said() {
    return directory.resolve("said");
  }

  /** Asks from within the pod's network, as Prometheus and the kubelet do. */
  private String get(String path, String header) throws Exception {
    String request = "GET " + path + " HTTP/1.1\\r\\nHost: pod\\r\\n" + header + "\\r\\n";
    Process ask = new ProcessBuilder("nsenter", "--target", String.valueOf(pod.pid()), "--net", "bash", "-c",
        "exec 3<>/dev/tcp/" + ADDRESS + "/8080; printf '" + request + "' >&3; cat <&3").redirectErrorStream(true)
        .start();
    return new String(ask.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private List<String> status(String field) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pod.pid() + "/status")).stream()
        .filter(line -> line.startsWith(field + ":")).map(line -> line.substring(field.length() + 1).strip()).toList();
  }

  @ParameterizedTest
  @CsvSource({"SIDECAR, 0700, /scr/node/scr/scr.training/training-0", "SCR, 0755, /scr/scr/scr.training/worker-7"})
  void theDaemonStartsInThePodOfTheManifestAndServes(Manifest manifest, String modeOfScr, String node)
      throws Exception {
    start(manifest, modeOfScr);
    Eventually.holds("the daemon is ready", () -> {
      assertThat(pod.isAlive()).as(() -> said() + " has " + read()).isTrue();
      return read().contains(" is ready: ");
    });
    assertThat(status("Uid")).containsExactly("10001\t10001\t10001\t10001");
    assertThat(status("CapEff")).containsExactly("0000000000000000");
    assertThat(status("NoNewPrivs")).containsExactly("1");
    assertThat(get("/health/ready", "")).startsWith("HTTP/1.1 200 ").endsWith("\nready\n");
    assertThat(get("/metrics", "")).startsWith("HTTP/1.1 401 ");
    assertThat(get("/metrics", "Authorization: Bearer " + TOKEN + "\\r\\n")).startsWith("HTTP/1.1 200 ")
        .contains("scr_cluster_nodes 1.0");
    assertThat(Path.of("/proc/" + pod.pid() + "/root" + node + "/scr.sock")).exists();
    assertThat(read()).doesNotContain("ERROR", "\tat ");
  }

  @ParameterizedTest
  @CsvSource({"0755", "0711", "0710"})
  void anEmptyDirThatOthersCouldReachIsRefused(String modeOfScr) throws Exception {
    start(Manifest.SIDECAR, modeOfScr);
    assertThat(pod.waitFor()).isEqualTo(2);
    assertThat(read()).contains("scr: /scr/node is not safe: other users can write to it (owner ");
  }

  private String read() {
    try {
      return Files.readString(said());
    } catch (IOException e) {
      return e.toString();
    }
  }
}
