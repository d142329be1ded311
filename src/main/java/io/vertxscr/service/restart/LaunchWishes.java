package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.RestartHistory.Wish;
import io.vertxscr.model.RestartHistory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SCR_CACHE_PURGE, SCR_PREFIX_PURGE and SCR_CURRENT, which are followed once in each launch. On the node's loop.
 *
 * <p>A launch is one call of {@code scr run}, however often that starts the program again: a run that follows restarts
 * from what was written since. Of a program that is started by hand each start is a launch.
 */
public final class LaunchWishes {
  private static final Logger LOG = LoggerFactory.getLogger(LaunchWishes.class);

  private final RestartJournal journal;
  private final Optional<String> launch;

  /** @param launch the call of scr run; empty where there is none */
  public LaunchWishes(RestartJournal journal, Optional<String> launch) {
    this.journal = journal;
    this.launch = launch;
  }

  /** Returns the policy with the launch parameters not yet applied. Fails with IO if that is unknown. */
  public Future<RunPolicy> left(String prefix, RunPolicy policy) {
    return launch.isEmpty() || wishes(policy).isEmpty() ? Future.succeededFuture(policy)
        : journal.readOrFail(prefix).map(history -> left(history, policy));
  }

  /** Returns a warning for rank 0 if there is no launch id. A restart by its script would repeat the purge. */
  public Optional<String> warning(RunPolicy policy) {
    return launch.isPresent() || wishes(policy).isEmpty() ? Optional.empty()
        : Optional.of("SCR_CACHE_PURGE, SCR_PREFIX_PURGE and SCR_CURRENT are followed at every start without scr run,"
            + " also at one that follows a failure");
  }

  private RunPolicy left(RestartHistory history, RunPolicy policy) {
    Map<Wish, String> left = wishes(policy);
    if (left.entrySet().removeIf(wish -> history.hasFollowed(wish.getKey(), wish.getValue()))) {
      LOG.info("an earlier run of this scr run has followed SCR_CACHE_PURGE, SCR_PREFIX_PURGE or SCR_CURRENT: this run"
          + " restarts from what was written since");
    }
    return policy
        .with(policy.cache().emptying(left.containsKey(Wish.CACHE_PURGE), left.containsKey(Wish.PREFIX_PURGE)))
        .with(policy.fetch().beginningWith(policy.fetch().current().filter(_ -> left.containsKey(Wish.CURRENT))));
  }

  /** They are followed: later runs of the launch keep what they have. Fails where that cannot be noted durably. */
  public Future<Void> followed(String prefix, RunPolicy done) {
    Map<Wish, String> wishes = wishes(done);
    return launch.isEmpty() || wishes.isEmpty() ? Future.succeededFuture()
        : journal.update(prefix, history -> history.following(wishes)).mapEmpty();
  }

  /** Returns the launch parameters of the policy with the launch to record. */
  private Map<Wish, String> wishes(RunPolicy policy) {
    String id = launch.orElse("");
    Map<Wish, String> wishes = new EnumMap<>(Wish.class);
    if (policy.cache().purge()) {
      wishes.put(Wish.CACHE_PURGE, id);
    }
    if (policy.cache().prefixPurge()) {
      wishes.put(Wish.PREFIX_PURGE, id);
    }
    policy.fetch().current().ifPresent(name -> wishes.put(Wish.CURRENT, id + "/" + name));
    return wishes;
  }
}
