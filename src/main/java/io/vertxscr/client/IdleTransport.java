package io.vertxscr.client;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Release;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.ConfigReply;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ShouldExitReply;
import io.vertxscr.protocol.app.StartOutputRequest;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.json.JsonRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * No-op transport without a daemon (SCR_ENABLE=0). Every call succeeds at once, and files stay at the application's
 * paths. No other rank is waited for.
 */
final class IdleTransport implements Transport {
  private static final String NOBODY = "none";

  private final String directory = Path.of("").toAbsolutePath().toString();
  private int dataset;
  private boolean isWriting;

  @Override
  public CompletableFuture<Map<String, Object>> request(Verb verb, Map<String, Object> body) {
    try {
      return FutureSteps.of(JsonRecords.write(answer(verb, body)));
    } catch (ScrException e) {
      return FutureSteps.failed(e);
    }
  }

  private synchronized Record answer(Verb verb, Map<String, Object> body) {
    return switch (verb) {
      case CONFIG -> new ConfigReply(Optional.empty());
      case INIT -> new InitReply(1, NOBODY, InitReply.VERSION, Release.NAME);
      case HAVE_RESTART -> HaveRestartReply.NONE;
      case START_OUTPUT -> {
        dataset++;
        isWriting = true;
        yield new StartReply(dataset, name(body), directory);
      }
      case ROUTE -> {
        RouteRequest request = JsonRecords.read(body, RouteRequest.class);
        yield new RouteReply(isWriting ? place(request) : request.name());
      }
      case SHOULD_EXIT -> new ShouldExitReply(false, Optional.empty(), OptionalLong.empty());
      case NEED_CHECKPOINT -> new NeedCheckpointReply(false, OptionalLong.empty());
      case COMPLETE_OUTPUT -> {
        isWriting = false;
        yield new CompleteReply(dataset, NOBODY);
      }
      case START_RESTART, COMPLETE_RESTART -> new CompleteReply(dataset, NOBODY);
      case FLUSH_TEST, FLUSH_WAIT -> FlushReply.FLUSHED;  // files are where the application calls them
      case SHARD -> throw new ScrException(Fault.WRONG_STATE, "SCR is switched off: there is no restart");
      case INIT_WAIT, CURRENT, DROP, DELETE, FINALIZE, ABORT, STATUS, SCRUB, DRAIN, OPERATE, EVENTS, ALIVE ->
          new DoneReply();
    };
  }

  /** Where the program calls the file; its directory exists. */
  private static String place(RouteRequest request) {
    Path file = Path.of(request.directory()).resolve(request.name()).normalize();
    try {
      if (file.getParent() != null) {
        Files.createDirectories(file.getParent());
      }
      return file.toString();
    } catch (IOException e) {
      throw new ScrException(Fault.IO, "the directory of " + file + " cannot be made: " + ScrException.reason(e), e);
    }
  }

  private String name(Map<String, Object> body) {
    return JsonRecords.read(body, StartOutputRequest.class).name().orElse("scr.dataset." + dataset);
  }

  @Override
  public void onClosed(Consumer<ScrException> listener) {
    // It never ends.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
