package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Limits;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RestartHistory;
import io.vertxscr.prefix.publish.RetentionWindow;
import io.vertxscr.service.Event.PrefixDeleted;
import io.vertxscr.service.Observer;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.Recent;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Enforces the retention of a prefix directory, and empties it if a run wants that. On the node's loop. */
public final class PrefixRetention {
  private static final Logger LOG = LoggerFactory.getLogger(PrefixRetention.class);

  private final Prefixes prefixes;
  private final Function<String, Future<RestartHistory>> history;
  private final Observer observer;
  private final CachePolicy standard;
  private final Recent<String, CachePolicy> policies = new Recent<>(Limits.MAX_PREFIXES);
  private final PrefixAccess access;

  /**
   * Keeps prefix directories for a leader.
   *
   * @param history tells what became of the restarts from a prefix directory
   * @param standard where no run has said anything else
   */
  public PrefixRetention(Prefixes prefixes, Function<String, Future<RestartHistory>> history,
      Observer observer, CachePolicy standard, PrefixAccess access) {
    this.prefixes = prefixes;
    this.history = history;
    this.observer = observer;
    this.standard = standard;
    this.access = access;
  }

  /** Another leader may have led runs since that keep more: what this one knew does not count. */
  public void takeOver() {
    policies.clear();
  }

  /** Sets the policy of a run that begins in this prefix directory. */
  public void policy(String prefix, CachePolicy policy) {
    policies.put(prefix, policy);
  }

  /** How many checkpoints are kept, where one that comes now would be beyond them; empty: it stays. */
  Future<OptionalInt> beyond(String prefix, DatasetDescriptor dataset) {
    int keep = policies.get(prefix).orElse(standard).prefixDatasets();
    return keep == 0 ? Future.succeededFuture(OptionalInt.empty())
        : history.apply(prefix).compose(restarts -> prefixes.locked().run("look what is kept in " + prefix, () ->
            RetentionWindow.isBeyond(prefixes.open(prefix).index().read().index(), keep, isUsable(restarts), dataset)
                ? OptionalInt.of(keep) : OptionalInt.empty()));
  }

  private static Predicate<DatasetDescriptor> isUsable(RestartHistory restarts) {
    return dataset -> !restarts.quarantined(dataset) && restarts.allows(dataset);
  }

  /** A dataset has arrived there. Trouble with deleting others is only logged: it is tried again after the next one. */
  public void flushed(String prefix) {
    int keep = policies.get(prefix).orElse(standard).prefixDatasets();
    if (keep > 0) {
      inTurn(prefix, () -> history.apply(prefix).compose(restarts ->
          delete(prefix, "delete old checkpoints", (window, gone) -> window.slide(keep, isUsable(restarts), gone))))
          .onFailure(failure ->
              LOG.warn("old checkpoints in {} are not deleted: {}", prefix, failure.getMessage()));
    }
  }

  /** Deletes all datasets before a run begins; returns them, or fails if that is impossible. */
  public Future<List<DatasetDescriptor>> purge(String prefix) {
    return inTurn(prefix, () -> delete(prefix, "empty " + prefix, RetentionWindow::purge));
  }

  /** What goes before somebody else takes the lock is told with the rest. */
  private Future<List<DatasetDescriptor>> delete(
      String prefix, String what, BiConsumer<RetentionWindow, Consumer<DatasetDescriptor>> work) {
    List<DatasetDescriptor> gone = new ArrayList<>();
    return access.tokens().hold(prefix).compose(token -> {
      RetentionWindow window = window(prefix, token);
      return prefixes.locked().patiently(what, () -> {
        work.accept(window, gone::add);
        return List.copyOf(gone);
      });
    }).recover(failure -> access.tokens().failed(prefix, failure));
  }

  private Future<List<DatasetDescriptor>> inTurn(String prefix, Supplier<Future<List<DatasetDescriptor>>> job) {
    return access.turns().in(prefix, job).onSuccess(gone -> gone.forEach(dataset -> deleted(prefix, dataset)));
  }

  private void deleted(String prefix, DatasetDescriptor dataset) {
    LOG.info("dataset {} \"{}\" is deleted from {}", dataset.id(), dataset.name(), prefix);
    observer.notice(new PrefixDeleted(dataset.id(), dataset.name()));
  }

  private RetentionWindow window(String prefix, PrefixToken token) {
    OpenPrefix directory = prefixes.open(prefix).as(token);
    return new RetentionWindow(directory.paths(), directory.index());
  }
}
