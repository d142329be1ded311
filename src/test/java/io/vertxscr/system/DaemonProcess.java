package io.vertxscr.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A daemon as an operator runs it: {@code bin/scr node}, a process of its own. */
final class DaemonProcess {
  private static final Pattern READY = Pattern.compile(".* is ready: .* http ([^,]+), socket (.+)");

  /** Several JVMs may start at once, on a machine that does other things too. */
  private static final int START_S = 180;

  private final String name;
  private final int port;
  private final Process process;
  private final Path output;

  DaemonProcess(String name, int port, Process process, Path output) {
    this.name = name;
    this.port = port;
    this.process = process;
    this.output = output;
  }

  String name() {
    return name;
  }

  /** Of the cluster. */
  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns its output so far. */
  String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until it says that it is ready. */
  DaemonProcess awaitReady() throws Exception {
    ready();
    return this;
  }

  private Matcher ready() throws Exception {
    Matcher[] found = new Matcher[1];
    Eventually.holds("daemon " + name + " is ready", START_S, () -> {
      if (!process.isAlive()) {
        throw new AssertionError("daemon " + name + " ended with " + process.exitValue() + ": " + output());
      }
      found[0] = READY.matcher(output());
      return found[0].find();
    });
    return found[0];
  }

  Path socket() throws Exception {
    return Path.of(ready().group(2));
  }

  /** Returns host and port of its metrics and health. */
  String httpAddress() throws Exception {
    return ready().group(1);
  }

  /** Returns the answer of its HTTP port: the status, a space, and the text. */
  String http(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> response = client.send(
          HttpRequest.newBuilder(URI.create("http://" + httpAddress() + path))
              .timeout(Duration.ofSeconds(EmbeddedRun.PATIENCE_S)).build(),
          HttpResponse.BodyHandlers.ofString());
      return response.statusCode() + " " + response.body();
    }
  }

  /** Returns the bytes that it has written so far, to files and elsewhere. */
  long writtenBytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/" + process.pid() + "/io")).stream()
        .filter(line -> line.startsWith("wchar: ")).mapToLong(line -> Long.parseLong(line.substring(7)))
        .findFirst().orElseThrow();
  }

  /** SIGKILL: nothing is tidied up. */
  void destroy() {
    process.destroyForcibly();
  }

  /** SIGKILL; the process is gone when this returns. */
  void kill() throws InterruptedException {
    destroy();
    awaitExit();
  }

  /** SIGTERM: asks it to end. */
  void terminate() {
    process.destroy();
  }

  /** SIGSTOP, so many seconds and until it is so, SIGCONT. */
  void pause(int seconds, Eventually.Condition until) throws Exception {
    shell("kill -STOP $0; sleep $1", String.valueOf(seconds));
    try {
      Eventually.holds("what the pause of " + name + " is to last for", until);
    } finally {
      shell("kill -CONT $0", "");
    }
  }

  private void shell(String what, String argument) throws Exception {
    Process shell = new ProcessBuilder("sh", "-c", what, String.valueOf(process.pid()), argument).inheritIO().start();
    assertThat(shell.waitFor()).isZero();
  }

  /** Waits for its end; returns the exit code. */
  int awaitExit() throws InterruptedException {
    return awaitExit(EmbeddedRun.PATIENCE_S);
  }

  /** The same where the end itself is work. */
  int awaitExit(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      throw new AssertionError("daemon " + name + " does not end");
    }
    return process.exitValue();
  }

}
