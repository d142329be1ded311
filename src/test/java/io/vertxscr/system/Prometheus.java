package io.vertxscr.system;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.timing.Eventually;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real Prometheus, a process of its own on a port that it chooses. Its sample of a configuration, made quick. */
final class Prometheus implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("Listening on\"? address=(127\\.0\\.0\\.1:\\d+)");
  private static final Path CONF = Path.of(System.getProperty("scr.home", "."), "conf");

  private final Path directory;
  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private String address = "";

  private Prometheus(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
  }

  /** Whether Debian's package of it, or another, is installed. */
  static boolean isInstalled() {
    return Stream.of("prometheus", "promtool").allMatch(program -> Stream.of(System.getenv("PATH")
        .split(File.pathSeparator)).anyMatch(place -> Files.isExecutable(Path.of(place, program))));
  }

  /** Runs promtool; returns its exit code, a space, and what it says. */
  static String promtool(String... arguments) throws Exception {
    Process process = new ProcessBuilder(Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList())
        .redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + " " + said;
  }

  /**
   * The files of {@code conf} in a directory, as a site has them: with a token and a list of daemons.
   *
   * @return the configuration
   */
  static Path install(Path directory) throws IOException {
    for (String file : List.of("prometheus.yml", "prometheus-rules.yml")) {
      Files.copy(CONF.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    Files.writeString(directory.resolve("scr-token"), "token");
    Files.writeString(directory.resolve("scr-targets.json"), "[]");
    return directory.resolve("prometheus.yml");
  }

  /** Starts one that looks each second, and whose alerts need a second where operators wait for minutes. */
  static Prometheus start(Path directory) throws Exception {
    Path configuration = install(directory);
    replace(configuration, "(scrape|evaluation)_interval: \\w+", "$1_interval: 1s");
    replace(configuration, "(?m)^.*credentials_file.*$", "");
    replace(directory.resolve("prometheus-rules.yml"), "for: \\w+", "for: 1s");
    Path log = directory.resolve("prometheus.log");
    Prometheus prometheus = new Prometheus(directory, new ProcessBuilder("prometheus",
        "--config.file=" + configuration, "--storage.tsdb.path=" + directory.resolve("data"),
        "--web.listen-address=127.0.0.1:0").redirectErrorStream(true).redirectOutput(log.toFile()).start());
    Eventually.holds("Prometheus listens", () -> {
      if (!prometheus.process.isAlive()) {
        throw new AssertionError(Files.readString(log));
      }
      Matcher listening = LISTENING.matcher(Files.readString(log));
      prometheus.address = listening.find() ? listening.group(1) : "";
      return !prometheus.address.isEmpty();
    });
    return prometheus;
  }

  private static void replace(Path file, String pattern, String by) throws IOException {
    String text = Files.readString(file);
    String replaced = text.replaceAll(pattern, by);
    if (replaced.equals(text)) {
      throw new AssertionError("no " + pattern + " in " + file);
    }
    Files.writeString(file, replaced);
  }

  /** From now on it scrapes these. */
  void scrape(Collection<DaemonProcess> daemons) throws Exception {
    JsonArray targets = new JsonArray();
    for (DaemonProcess daemon : daemons) {
      targets.add(daemon.httpAddress());
    }
    JsonArray groups = new JsonArray().add(new JsonObject().put("targets", targets)
        .put("labels", new JsonObject().put("allocation", "4711")));
    Path draft = directory.resolve("scr-targets.draft");
    Files.writeString(draft, groups.encode());
    Files.move(draft, directory.resolve("scr-targets.json"), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Returns the series that a query has now. */
  JsonArray query(String query) throws Exception {
    HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create("http://" + address
        + "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)))
        .timeout(Duration.ofSeconds(EmbeddedRun.PATIENCE_S)).build(), HttpResponse.BodyHandlers.ofString());
    JsonObject answer = new JsonObject(response.body());
    if (!"success".equals(answer.getString("status"))) {
      throw new AssertionError(query + ": " + response.body());
    }
    return answer.getJsonObject("data").getJsonArray("result");
  }

  /** Returns the names of the alerts that fire now, without that of a disk which is full without our doing. */
  Set<String> firing() throws Exception {
    return query("ALERTS{alertstate=\"firing\", alertname!=\"ScrCacheNearlyFull\"}").stream()
        .map(series -> ((JsonObject) series).getJsonObject("metric").getString("alertname"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public void close() throws Exception {
    client.close();
    process.destroyForcibly().waitFor();
  }
}
