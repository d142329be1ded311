package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_EVICT;
import static io.vertxscr.config.Parameter.SCR_CACHE_FULL;
import static io.vertxscr.config.Parameter.SCR_CACHE_PURGE;
import static io.vertxscr.config.Parameter.SCR_CACHE_SIZE;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_INTERVAL;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_OPTIMAL;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_OVERHEAD;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_SECONDS;
import static io.vertxscr.config.Parameter.SCR_CONTAINER_ALIGN;
import static io.vertxscr.config.Parameter.SCR_CONTAINER_SIZE;
import static io.vertxscr.config.Parameter.SCR_CRC_ON_DELETE;
import static io.vertxscr.config.Parameter.SCR_CURRENT;
import static io.vertxscr.config.Parameter.SCR_DEBUG;
import static io.vertxscr.config.Parameter.SCR_DISTRIBUTE;
import static io.vertxscr.config.Parameter.SCR_FETCH;
import static io.vertxscr.config.Parameter.SCR_FETCH_BYPASS;
import static io.vertxscr.config.Parameter.SCR_FETCH_WIDTH;
import static io.vertxscr.config.Parameter.SCR_FLUSH;
import static io.vertxscr.config.Parameter.SCR_FLUSH_ASYNC;
import static io.vertxscr.config.Parameter.SCR_FLUSH_ASYNC_BW;
import static io.vertxscr.config.Parameter.SCR_FLUSH_ON_RESTART;
import static io.vertxscr.config.Parameter.SCR_FLUSH_WIDTH;
import static io.vertxscr.config.Parameter.SCR_GLOBAL_RESTART;
import static io.vertxscr.config.Parameter.SCR_HALT_ENABLED;
import static io.vertxscr.config.Parameter.SCR_HALT_EXIT;
import static io.vertxscr.config.Parameter.SCR_HALT_SECONDS;
import static io.vertxscr.config.Parameter.SCR_LOG_ENABLE;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_ENABLE;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_FACILITY;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_HOST;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_LEVEL;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_PORT;
import static io.vertxscr.config.Parameter.SCR_LOG_SYSLOG_PREFIX;
import static io.vertxscr.config.Parameter.SCR_LOG_TXT_ENABLE;
import static io.vertxscr.config.Parameter.SCR_PREFIX_PURGE;
import static io.vertxscr.config.Parameter.SCR_PREFIX_SIZE;
import static io.vertxscr.config.Parameter.SCR_SMALL_BYTES;
import static io.vertxscr.config.Parameter.SCR_RESTART_LOOP_LIMIT;
import static io.vertxscr.config.Parameter.SCR_SET_FAILURES;
import static io.vertxscr.config.Parameter.SCR_SET_SIZE;
import static io.vertxscr.config.Parameter.SCR_USE_CONTAINERS;
import static io.vertxscr.config.Parameter.SCR_VERIFY_ON_RESTART;

import io.vertxscr.config.policy.CachePolicy;
import io.vertxscr.config.policy.FetchPolicy;
import io.vertxscr.config.policy.FlushPolicy;
import io.vertxscr.config.policy.HaltPolicy;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.config.policy.LogPolicy;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Builds the policy of a run from its parameter values. */
final class RunPolicies {
  private RunPolicies() {}

  static RunPolicy of(Effective values) {
    return new RunPolicy(
        new DescriptorReader(values).descriptors(),
        new CachePolicy(values.flag(SCR_CACHE_PURGE), values.flag(SCR_CRC_ON_DELETE),
            values.text(SCR_CACHE_EVICT).equalsIgnoreCase("EARLY"),
            values.text(SCR_CACHE_FULL).equalsIgnoreCase("BYPASS"), values.number(SCR_PREFIX_SIZE),
            values.flag(SCR_PREFIX_PURGE), Math.toIntExact(values.bytes(SCR_SMALL_BYTES))),
        new FlushPolicy(values.number(SCR_FLUSH), values.flag(SCR_FLUSH_ASYNC),
            values.number(SCR_FLUSH_WIDTH), values.bytes(SCR_FLUSH_ASYNC_BW), flush(values)),
        new FetchPolicy(values.flag(SCR_FETCH), values.flag(SCR_FETCH_BYPASS), values.flag(SCR_DISTRIBUTE),
            values.flag(SCR_FLUSH_ON_RESTART), values.flag(SCR_GLOBAL_RESTART),
            new FetchPolicy.CheckpointChoice(
                values.value(SCR_CURRENT).map(Effective.Value::text), values.number(SCR_RESTART_LOOP_LIMIT)),
            values.number(SCR_FETCH_WIDTH), values.text(SCR_VERIFY_ON_RESTART).equalsIgnoreCase("ALWAYS")),
        new IntervalPolicy(values.number(SCR_CHECKPOINT_INTERVAL), values.number(SCR_CHECKPOINT_SECONDS),
            Double.parseDouble(values.text(SCR_CHECKPOINT_OVERHEAD)), values.flag(SCR_CHECKPOINT_OPTIMAL)),
        new HaltPolicy(values.number(SCR_HALT_SECONDS),
            values.flag(values.isSet(SCR_HALT_EXIT) ? SCR_HALT_EXIT : SCR_HALT_ENABLED)),
        new LogPolicy(values.flag(SCR_LOG_ENABLE), values.flag(SCR_LOG_TXT_ENABLE),
            values.flag(SCR_LOG_SYSLOG_ENABLE) ? Optional.of(syslog(values)) : Optional.empty(),
            values.number(SCR_DEBUG) > 0));
  }

  private static Syslog syslog(Effective values) {
    return new Syslog(values.text(SCR_LOG_SYSLOG_HOST), values.number(SCR_LOG_SYSLOG_PORT),
        values.text(SCR_LOG_SYSLOG_FACILITY), values.text(SCR_LOG_SYSLOG_LEVEL), values.text(SCR_LOG_SYSLOG_PREFIX));
  }

  /** Returns remarks on settings without effect or with a risky one, for the user who made them. */
  static List<String> remarks(Effective values, RunPolicy policy) {
    List<String> remarks = new ArrayList<>(values.ignored());
    boolean several = policy.descriptors().checkpoints().stream().map(CheckpointDescriptor::redundancy)
        .anyMatch(redundancy -> redundancy.scheme() == Scheme.RS || redundancy.scheme() == Scheme.PARTNER);
    if (values.isSet(SCR_SET_FAILURES) && values.number(SCR_SET_FAILURES) > 1 && !several) {
      remarks.add(values.said(SCR_SET_FAILURES) + " has no effect: XOR survives the loss of one member of a set, SINGLE"
          + " of none; RS and PARTNER survive more");
    }
    if (policy.flush().bytesPerSecond() > 0 && !policy.flush().background()) {
      remarks.add(values.said(SCR_FLUSH_ASYNC_BW) + " has no effect with " + values.said(SCR_FLUSH_ASYNC)
          + ": it limits flushes in the background");
    }
    for (Parameter size : List.of(SCR_CONTAINER_SIZE, SCR_CONTAINER_ALIGN)) {
      if (values.isSet(size) && !values.flag(SCR_USE_CONTAINERS)) {
        remarks.add(values.said(size) + " has no effect without SCR_USE_CONTAINERS=1");
      }
    }
    if (values.isSet(SCR_HALT_EXIT) && values.isSet(SCR_HALT_ENABLED)
        && values.flag(SCR_HALT_EXIT) != values.flag(SCR_HALT_ENABLED)) {
      remarks.add(values.said(SCR_HALT_ENABLED) + " has no effect: it is another name for SCR_HALT_EXIT, and "
          + values.said(SCR_HALT_EXIT) + " says otherwise");
    }
    for (Parameter said : Parameter.values()) {
      if (said.kind() instanceof Kind.Always(String only, String why) && !values.text(said).equals(only)) {
        remarks.add(values.said(said) + " has no effect: " + why);
      }
    }
    cached(values, policy).ifPresent(remarks::add);
    onlyOne(values, policy).ifPresent(remarks::add);
    nothingRestored(values, policy).ifPresent(remarks::add);
    return List.copyOf(remarks);
  }

  /** Returns a remark on a cache setting that applies to no cache. */
  private static Optional<String> cached(Effective values, RunPolicy policy) {
    List<CheckpointDescriptor> used = policy.descriptors().checkpoints().stream()
        .filter(CheckpointDescriptor::enabled).toList();
    if (values.number(SCR_CACHE_SIZE) == 0) {
      return Optional.of(values.said(SCR_CACHE_SIZE) + ": datasets go past the cache, as with SCR_CACHE_BYPASS=1, but"
          + " for those in stores with a COUNT");
    }
    if (used.stream().allMatch(CheckpointDescriptor::bypass)) {
      return Stream.of(SCR_CACHE_SIZE, SCR_USE_CONTAINERS, SCR_SET_SIZE, SCR_SET_FAILURES).filter(values::isSet)
          .findFirst().map(said -> values.said(said) + " has no effect: all datasets go past the cache, as they are");
    }
    boolean counted = values.of(Section.STORE).stream().filter(store -> used.stream()
        .anyMatch(checkpoint -> checkpoint.storeBase().equals(store.key()))).allMatch(store ->
            store.text("COUNT").isPresent());
    return Optional.of(SCR_CACHE_SIZE).filter(said -> counted && values.isSet(said)).map(said -> values.said(said)
        + " has no effect: the STORE entries of all stores that are used have a COUNT");
  }

  /** The price of an exact count, where it is highest. */
  private static Optional<String> onlyOne(Effective values, RunPolicy policy) {
    return policy.descriptors().checkpoints().stream().filter(used -> used.enabled() && !used.bypass())
        .map(used -> policy.descriptors().store(used.storeBase()))
        .filter(store -> policy.cache().evictFirst() && store.count() == 1).findFirst()
        .map(store -> "with " + values.said(SCR_CACHE_EVICT) + " store " + store.base() + ", which keeps 1 dataset,"
            + " has none while one is written: a failure meanwhile leaves what is in the prefix directory");
  }

  private static Optional<String> nothingRestored(Effective values, RunPolicy policy) {
    FetchPolicy fetch = policy.fetch();
    Optional<Parameter> emptied = !fetch.distribute() ? Optional.of(SCR_DISTRIBUTE)
        : policy.cache().purge() ? Optional.of(SCR_CACHE_PURGE)
        : fetch.globalRestart() ? Optional.of(SCR_GLOBAL_RESTART) : Optional.empty();
    return emptied.filter(_ -> !fetch.fetch()).map(how -> "with " + values.said(how) + " and " + values.said(SCR_FETCH)
        + " no run restarts from any checkpoint, and the caches are emptied when one begins");
  }

  private static FlushDescriptor flush(Effective values) {
    return values.flag(SCR_USE_CONTAINERS)
        ? FlushDescriptor.packed(values.bytes(SCR_CONTAINER_SIZE), values.bytes(SCR_CONTAINER_ALIGN))
        : FlushDescriptor.FILES;
  }
}
