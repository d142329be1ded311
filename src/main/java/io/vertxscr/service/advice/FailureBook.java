package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertxscr.model.FailureHistory;
import io.vertxscr.prefix.metadata.FailuresFileStore;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.SerialQueue;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's record of failures and costs: the stored history and the changes since. Nobody waits for it, and nothing
 * fails with it: what cannot be written now goes along the next time. On the node's loop.
 */
public final class FailureBook {
  private static final Logger LOG = LoggerFactory.getLogger(FailureBook.class);

  private final Loop loop;
  private final Prefixes prefixes;
  private String prefix = "";
  private FailureHistory kept = FailureHistory.EMPTY;
  /** Not written yet. */
  private FailureHistory fresh = FailureHistory.EMPTY;
  private final SerialQueue<String> steps = new SerialQueue<>();

  public FailureBook(Loop loop, Prefixes prefixes) {
    this.loop = loop;
    this.prefixes = prefixes;
  }

  /** It is about runs of this prefix directory from now on. */
  void open(String directory) {
    if (!directory.equals(prefix)) {
      save();
      prefix = directory;
      kept = FailureHistory.EMPTY;
      fresh = FailureHistory.EMPTY;
    }
    inTurn(() -> loop.prefix().run("read the failures of " + directory, () -> file(directory).read())
        .onSuccess(read -> {
          if (directory.equals(prefix)) {
            kept = read;
          }
        })
        .onFailure(failure -> LOG.warn("failures of {} cannot be read: {}", directory, failure.getMessage())));
  }

  /** All that is known. */
  FailureHistory history() {
    return kept.plus(fresh);
  }

  /** Something has happened. */
  void note(UnaryOperator<FailureHistory> change) {
    fresh = change.apply(fresh);
  }

  /** Writes what has come. */
  void save() {
    String directory = prefix;
    if (!directory.isEmpty()) {
      inTurn(() -> write(directory));
    }
  }

  private Future<FailureHistory> write(String directory) {
    if (!directory.equals(prefix) || fresh.equals(FailureHistory.EMPTY)) {
      return Future.succeededFuture();
    }
    FailureHistory batch = fresh;
    FailureHistory before = kept;
    fresh = FailureHistory.EMPTY;
    kept = before.plus(batch);                            // until it is written, so that it is not missing meanwhile
    return prefixes.locked().run("write the failures of " + directory, () -> file(directory).add(batch))
        .onComplete((sum, failure) -> {
          if (!directory.equals(prefix)) {
            return;
          }
          kept = failure == null ? sum : before;
          fresh = failure == null ? fresh : batch.plus(fresh);
        })
        .onFailure(failure -> LOG.warn("failures of {} cannot be written: {}", directory, failure.getMessage()));
  }

  private void inTurn(Supplier<Future<FailureHistory>> step) {
    steps.run("all", step);
  }

  private FailuresFileStore file(String directory) {
    return prefixes.open(directory).failuresFile();
  }
}
