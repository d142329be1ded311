package io.vertxscr.service.redundancy;

import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.service.TraceScope;
import io.vertxscr.service.Traces;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Ranges that are read for a span: bytes and waits, by the node that they come from. One thread at a time. */
final class TimedRanges implements RangeSource {
  private static final long NS_PER_US = 1000;

  private final Traces traces;
  private final RangeSource source;
  private final Map<String, Pulled> byNode = new TreeMap<>();

  /** What has come from a node. */
  private static final class Pulled {
    private final long sinceNs;
    private long untilNs;
    private long waitNs;
    private long bytes;

    Pulled(long sinceNs) {
      this.sinceNs = sinceNs;
    }
  }

  private TimedRanges(Traces traces, RangeSource source) {
    this.traces = traces;
    this.source = source;
  }

  /** Does work that reads ranges, and reports it with a child for each node that it has read of. Blocking. */
  static <T> T encode(Traces traces, TraceScope scope, RangeSource source, Function<RangeSource, T> work) {
    if (scope.isNone()) {
      return work.apply(source);
    }
    long since = traces.now();
    TimedRanges timed = new TimedRanges(traces, source);
    try {
      T made = work.apply(timed);
      timed.ended(scope, since, null);
      return made;
    } catch (RuntimeException e) {
      timed.ended(scope, since, e);
      throw e;
    }
  }

  private void ended(TraceScope scope, long sinceNs, RuntimeException failure) {
    byNode.forEach((node, pulled) -> traces.ended(scope.child("pull", node).with("scr.peer.node", node)
        .with("scr.bytes", pulled.bytes).with("scr.wait_us", pulled.waitNs / NS_PER_US),
        pulled.sinceNs, pulled.untilNs));
    long bytes = byNode.values().stream().mapToLong(pulled -> pulled.bytes).sum();
    traces.ended(scope.with("scr.bytes", bytes), sinceNs, failure);
  }

  @Override
  public RangeStream open(RangeRequest request) {
    long since = traces.now();
    Pulled pulled = byNode.computeIfAbsent(request.node(), _ -> new Pulled(since));
    try {
      return new Timed(source.open(request), pulled);
    } finally {
      waited(pulled, since);
    }
  }

  private void waited(Pulled pulled, long since) {
    pulled.untilNs = traces.now();
    pulled.waitNs += pulled.untilNs - since;
  }

  /** One range. */
  private final class Timed implements RangeStream {
    private final RangeStream stream;
    private final Pulled pulled;

    Timed(RangeStream stream, Pulled pulled) {
      this.stream = stream;
      this.pulled = pulled;
    }

    @Override
    public void read(ByteBuffer into) {
      long since = traces.now();
      int before = into.remaining();
      try {
        stream.read(into);
      } finally {
        pulled.bytes += before - into.remaining();
        waited(pulled, since);
      }
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
