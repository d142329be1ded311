package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.cli.daemon.StatusQuestions;
import io.vertxscr.model.Fault;
import io.vertxscr.timing.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a daemon that hangs neither blocks nor ends {@code scr status --watch}. Method: a socket that listens, where
 * nobody accepts: so a client finds a daemon that is stopped. {@code TerminalIT} has one among others.
 */
class StatusWatchTest {
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private Path directory;

  @BeforeEach
  void open() throws IOException {
    directory = Files.createTempDirectory("scr");         // short: sockets have at most 107 bytes
  }

  @AfterEach
  void close() throws IOException {
    for (String name : List.of("a", "b")) {
      Files.deleteIfExists(directory.resolve(name));
    }
    Files.delete(directory);
  }

  private ServerSocketChannel silent(String name) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    channel.bind(UnixDomainSocketAddress.of(directory.resolve(name)));
    return channel;
  }

  @Test
  void theWatchEndsWhenADaemonThatHangsEndsAndNotBefore() throws Exception {
    StringWriter err = new StringWriter();
    FutureTask<Integer> watch = new FutureTask<>(() -> ScrCommand.run(Map.of(), new PrintWriter(new StringWriter()),
        new PrintWriter(err, true), "status", "--watch", "--socket", directory.resolve("a").toString()));
    try (ServerSocketChannel hung = silent("a")) {
      Thread.ofPlatform().daemon().start(watch);
      Eventually.holds("a complaint", () -> err.toString().contains("a does not answer within 3 s") || watch.isDone());
      assertThat(watch.isDone()).as(err.toString()).isFalse();
      assertThat(hung.isOpen()).isTrue();
    }
    assertThat(watch.get()).isEqualTo(ScrCommand.FAILED);
  }

  @Test
  void daemonsThatHangCostThePatienceForOneAndHaveOneConnectionEach() throws Exception {
    StatusQuestions questions = new StatusQuestions(PATIENCE);
    List<Path> both = List.of(directory.resolve("a"), directory.resolve("b"));
    try (ServerSocketChannel a = silent("a"); ServerSocketChannel b = silent("b")) {
      for (int round = 0; round < 3; round++) {
        List<StatusQuestions.StatusOutcome> outcomes = questions.ask(both);
        assertThat(outcomes).extracting(StatusQuestions.StatusOutcome::daemon).isEqualTo(both);
        assertThat(outcomes).allMatch(StatusQuestions.StatusOutcome::hangs);
      }
      for (ServerSocketChannel daemon : List.of(a, b)) {
        daemon.configureBlocking(false);
        try (SocketChannel only = daemon.accept()) {
          assertThat(only).isNotNull();
          assertThat(daemon.accept()).as("a second connection").isNull();
        }
      }
      // Those connections have been closed now, as by a daemon that is killed: that is no hang, and is asked again.
      Eventually.holds("both are lost",
          () -> questions.ask(both).stream().noneMatch(StatusQuestions.StatusOutcome::hangs));
    }
    assertThat(questions.ask(both)).allSatisfy(outcome -> {
      assertThat(outcome.hangs()).isFalse();
      assertThat(outcome.failure().orElseThrow().fault()).isEqualTo(Fault.NODE_LOST);
    });
  }
}
