package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_FULL;
import static io.vertxscr.config.Parameter.SCR_CACHE_PURGE;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_INTERVAL;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_OPTIMAL;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_OVERHEAD;
import static io.vertxscr.config.Parameter.SCR_CHECKPOINT_SECONDS;
import static io.vertxscr.config.Parameter.SCR_CONTAINER_ALIGN;
import static io.vertxscr.config.Parameter.SCR_CONTAINER_SIZE;
import static io.vertxscr.config.Parameter.SCR_CRC_ON_DELETE;
import static io.vertxscr.config.Parameter.SCR_CURRENT;
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
import static io.vertxscr.config.Parameter.SCR_HALT_EXIT;
import static io.vertxscr.config.Parameter.SCR_HALT_SECONDS;
import static io.vertxscr.config.Parameter.SCR_LOG_ENABLE;
import static io.vertxscr.config.Parameter.SCR_LOG_TXT_ENABLE;
import static io.vertxscr.config.Parameter.SCR_PREFIX_PURGE;
import static io.vertxscr.config.Parameter.SCR_PREFIX_SIZE;
import static io.vertxscr.config.Parameter.SCR_USE_CONTAINERS;

import io.vertxscr.config.run.CachePolicy;
import io.vertxscr.config.run.FetchPolicy;
import io.vertxscr.config.run.FlushPolicy;
import io.vertxscr.config.run.HaltPolicy;
import io.vertxscr.config.run.IntervalPolicy;
import io.vertxscr.config.run.LogPolicy;
import io.vertxscr.config.run.RunPolicy;
import io.vertxscr.model.descriptor.FlushDescriptor;

/** Makes the policy of a run from the values of its parameters. */
final class RunPolicies {
  private RunPolicies() {}

  static RunPolicy of(Effective values) {
    return new RunPolicy(
        new DescriptorReader(values).descriptors(),
        new CachePolicy(values.flag(SCR_CACHE_PURGE), values.flag(SCR_CRC_ON_DELETE),
            values.text(SCR_CACHE_FULL).equalsIgnoreCase("BYPASS"), values.number(SCR_PREFIX_SIZE),
            values.flag(SCR_PREFIX_PURGE)),
        new FlushPolicy(values.number(SCR_FLUSH), values.flag(SCR_FLUSH_ASYNC),
            values.number(SCR_FLUSH_WIDTH), values.bytes(SCR_FLUSH_ASYNC_BW), flush(values)),
        new FetchPolicy(values.flag(SCR_FETCH), values.flag(SCR_FETCH_BYPASS), values.flag(SCR_DISTRIBUTE),
            values.flag(SCR_FLUSH_ON_RESTART), values.flag(SCR_GLOBAL_RESTART),
            values.value(SCR_CURRENT).map(Effective.Value::text), values.number(SCR_FETCH_WIDTH)),
        new IntervalPolicy(values.number(SCR_CHECKPOINT_INTERVAL), values.number(SCR_CHECKPOINT_SECONDS),
            Double.parseDouble(values.text(SCR_CHECKPOINT_OVERHEAD)), values.flag(SCR_CHECKPOINT_OPTIMAL)),
        new HaltPolicy(values.number(SCR_HALT_SECONDS), values.flag(SCR_HALT_EXIT)),
        new LogPolicy(values.flag(SCR_LOG_ENABLE), values.flag(SCR_LOG_TXT_ENABLE)));
  }

  private static FlushDescriptor flush(Effective values) {
    return values.flag(SCR_USE_CONTAINERS)
        ? FlushDescriptor.packed(values.bytes(SCR_CONTAINER_SIZE), values.bytes(SCR_CONTAINER_ALIGN))
        : FlushDescriptor.FILES;
  }
}
