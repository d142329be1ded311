package io.vertxscr.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.vertxscr.storage.Trees;
import io.vertxscr.system.ShortLife;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: docker compose takes the sample, and what its containers run works together. Method: {@code docker-compose
 * config} reads and resolves it; then the command lines of its services run as processes, with directories for volumes,
 * in a network of their own that has all addresses of the file. No container is run.
 */
@Timeout(180)
class ComposeIT {
  private static final Path HOME = Path.of(System.getProperty("scr.home", ".")).toAbsolutePath();
  private static final Path SAMPLE = HOME.resolve("conf/compose/compose.yaml");
  private static final List<String> DAEMONS = List.of("n1", "n2", "n3", "n4");
  private static final List<String> RANKS = List.of("rank0", "rank1", "rank2", "rank3");

  /** A directory of every system, with other things on it for each process. */
  private static final String MOUNTS = "/mnt";

  private final Map<String, Process> running = new LinkedHashMap<>();
  private Path directory;
  private String network = "";

  @BeforeEach
  void needsCompose() throws Exception {
    directory = Files.createTempDirectory("scr");
    assumeTrue(works("docker-compose", "version"), "no docker-compose: the sample for it is not tested");
  }

  private static boolean works(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    } catch (IOException _) {
      return false;
    }
  }

  /** A network with these addresses, as long as its process runs. */
  private void openNetwork(JsonNode services) throws Exception {
    assumeTrue(works("unshare", "--net", "--mount", "ip", "link"), "no namespaces: no root, or no unshare or ip");
    StringBuilder script = new StringBuilder("ip link set lo up");
    services.properties().forEach(service -> {
      String address = service.getValue().path("networks").path("scr").path("ipv4_address").asText();
      script.append(address.isEmpty() ? "" : " && ip address add " + address + "/24 dev lo");
    });
    Process holder = new ProcessBuilder("unshare", "--net", "sh", "-c", script + " && echo open && exec sleep infinity")
        .redirectError(directory.resolve("network.log").toFile()).start();
    running.put("network", holder);
    assertThat(holder.inputReader().readLine()).as(said("network")).isEqualTo("open");
    network = String.valueOf(holder.pid());
  }

  @AfterEach
  void end() throws Exception {
    running.values().forEach(Process::destroyForcibly);
    for (Process process : running.values()) {
      process.waitFor();
    }
    Trees.delete(directory);
  }

  /** What compose makes of the file; any word that it does not know is an error. */
  private JsonNode services(int run) throws Exception {
    Path errors = directory.resolve("errors");
    ProcessBuilder builder = new ProcessBuilder("docker-compose", "-f", SAMPLE.toString(), "--profile", "heat",
        "--profile", "monitoring", "config").redirectError(errors.toFile());
    builder.environment().putAll(Map.of("RUN", "" + run, "STEPS", "200"));
    Process config = builder.start();
    String resolved = new String(config.getInputStream().readAllBytes());
    assertThat(config.waitFor()).as(Files.readString(errors)).isZero();
    return Manifest.documents(resolved).getFirst().path("services");
  }

  private static List<String> words(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(word -> word.asText().replace("$$", "$")).toList();
  }

  private static Map<String, String> options(JsonNode service) {
    return words(service.path("command")).stream().filter(word -> word.startsWith("--"))
        .map(word -> word.split("=", 2)).collect(Collectors.toMap(words -> words[0], words -> words[1]));
  }

  @Test
  void theDaemonsAreThoseOfTheManifestsForKubernetes() throws Exception {
    JsonNode services = services(1);
    Container pod = Manifest.SCR.daemon();
    Map<String, String> ofPod = Manifest.options(pod);
    for (String name : DAEMONS) {
      Map<String, String> options = options(services.path(name));
      assertThat(options).containsEntry("--name", name).containsKey("--members");
      for (String same : List.of("--port", "--bus-port", "--peer-port", "--secret-file", "--http-port",
          "--http-token-file")) {
        assertThat(options).containsEntry(same, ofPod.get(same));
      }
      pod.getEnv().stream().filter(variable -> variable.getValue() != null).forEach(variable ->
          assertThat(services.path(name).path("environment").path(variable.getName()).asText())
              .isEqualTo(variable.getValue()));
      assertThat(options.get("--members")).contains(options.get("--host") + ":" + options.get("--port"));
    }
    Map<String, String> addresses = new TreeMap<>();
    services.properties().forEach(service -> {
      JsonNode one = service.getValue();
      assertThat(one.path("user").asText()).as(service.getKey()).isEqualTo("10001:10001");
      assertThat(words(one.path("cap_drop"))).containsExactly("ALL");
      assertThat(words(one.path("security_opt"))).containsExactly("no-new-privileges:true");
      assertThat(words(one.path("ports"))).as("for this machine alone").allMatch(port -> port.startsWith("127.0.0.1:"));
      String address = one.path("networks").path("scr").path("ipv4_address").asText();
      if (!address.isEmpty()) {
        assertThat(addresses.put(address, service.getKey())).as(address).isNull();
        assertThat(words(one.path("command"))).contains("--host=" + address);
        assertThat(one.path("read_only").asBoolean()).isTrue();
      }
    });
    assertThat(Files.readString(SAMPLE.resolveSibling("prometheus.yml"))).contains(DAEMONS.stream()
        .map(name -> options(services.path(name)).get("--host") + ":8080").toList());
  }

  @Test
  void theRanksGoOnWhenANodeIsLostWithItsVolume() throws Exception {
    for (String file : List.of("secret", "token")) {
      Files.createFile(directory.resolve(file),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(directory.resolve(file), "0123456789abcdef0123456789abcdef");
    }
    Files.createDirectory(directory.resolve("prefix"));
    JsonNode services = services(1);
    openNetwork(services);
    start(services, DAEMONS);
    awaitHealth(services, DAEMONS);
    start(services, RANKS);
    for (String rank : RANKS) {
      Eventually.holds("two checkpoints of " + rank, () -> count(rank, "checkpointed") >= 2);
    }

    for (String lost : List.of("n2", "rank1")) {
      running.get(lost).destroyForcibly().waitFor();
    }
    for (String rank : List.of("rank0", "rank2", "rank3")) {
      assertThat(running.get(rank).waitFor()).as("%s: %s", rank, said(rank)).isEqualTo(3);
    }
    Trees.delete(directory.resolve("n2"));
    JsonNode again = services(2);
    start(again, List.of("n2"));
    awaitHealth(again, DAEMONS);
    start(again, RANKS);
    for (String rank : RANKS) {
      assertThat(running.get(rank).waitFor()).as("%s: %s", rank, said(rank)).isZero();
      assertThat(said(rank)).containsPattern("heat started .* step=[1-9]");
    }
  }

  private long count(String service, String what) throws IOException {
    return said(service).lines().filter(line -> line.contains(what)).count();
  }

  private String said(String service) throws IOException {
    return Files.readString(directory.resolve(service + ".log"));
  }

  private void start(JsonNode services, List<String> names) throws IOException {
    for (String name : names) {
      List<String> line = new ArrayList<>(words(services.path(name).path("entrypoint")));
      if (line.isEmpty()) {
        line.add(HOME.resolve("bin/scr").toString());      // the image's own
      }
      line.addAll(words(services.path(name).path("command")));
      running.put(name, builder(services.path(name), line)
          .redirectOutput(directory.resolve(name + ".log").toFile()).start());
    }
  }

  /** In the network, with the volumes at places that only this process sees, the same in all services. */
  private ProcessBuilder builder(JsonNode service, List<String> line) throws IOException {
    Map<String, String> places = new HashMap<>(Map.of("/opt/vertx-scr/bin", HOME.resolve("bin").toString(),
        "/opt/vertx-scr/vertx-scr.jar", HOME.resolve("target/vertx-scr.jar").toString()));
    StringBuilder mounts = new StringBuilder("set -e; mount -t tmpfs -o mode=0755 none " + MOUNTS);
    for (String volume : words(service.path("volumes"))) {
      String[] words = volume.split(":");
      Path source = directory.resolve(Path.of(words[0]).getFileName());
      if (!Files.exists(source)) {
        Files.createDirectory(source,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      }
      places.put(words[1], MOUNTS + words[1]);
      mounts.append("; mkdir -p $(dirname ").append(MOUNTS + words[1]).append("); ")
          .append(Files.isDirectory(source) ? "mkdir " : "touch ").append(MOUNTS + words[1])
          .append("; mount --bind ").append(source).append(' ').append(MOUNTS + words[1]);
    }
    List<String> entered = new ArrayList<>(List.of("nsenter", "--target", network, "--net", "unshare", "--mount",
        "--propagation", "private", "sh", "-c", mounts + "; exec \"$@\"", "service"));
    line.forEach(word -> entered.add(here(places, word)));
    ProcessBuilder builder = new ProcessBuilder(entered).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("SCR_"));
    builder.environment().putAll(Map.of("SCR_JAVA_HOME", System.getProperty("java.home"), "SCR_AOT", "0",
        "SCR_JAVA_OPTIONS", ShortLife.javaOptions()));
    service.path("environment").properties().forEach(variable ->
        builder.environment().put(variable.getKey(), here(places, variable.getValue().asText())));
    return builder;
  }

  private static String here(Map<String, String> places, String text) {
    String here = text;
    for (String place : places.keySet().stream().sorted(Comparator.comparing(String::length).reversed()).toList()) {
      here = Pattern.compile("(?<![\\w/.-])" + Pattern.quote(place) + "(?![\\w.-])").matcher(here)
          .replaceAll(Matcher.quoteReplacement(places.get(place)));
    }
    return here;
  }

  /** By the health check of the file. */
  private void awaitHealth(JsonNode services, List<String> names) throws Exception {
    for (String name : names) {
      List<String> check = words(services.path(name).path("healthcheck").path("test"));
      assertThat(check.getFirst()).isEqualTo("CMD");
      ProcessBuilder asked = builder(services.path(name), check.subList(1, check.size()))
          .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      Eventually.holds(name + " is ready", () -> {
        assertThat(running.get(name).isAlive()).as(said(name)).isTrue();
        return said(name).contains(" is ready: ");
      });
      Eventually.holds(name + " is healthy", () -> {
        Process process = asked.start();
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0;
      });
    }
  }
}
