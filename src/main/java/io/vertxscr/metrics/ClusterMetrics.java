package io.vertxscr.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertxscr.service.Event;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import java.util.function.Supplier;

/** Meters of the cluster's membership. */
final class ClusterMetrics implements Observer {
  private final MeterRegistry registry;
  private final Counter joined;
  private final Counter left;

  ClusterMetrics(MeterRegistry registry) {
    this.registry = registry;
    joined = Counter.builder("scr_cluster_joined_nodes").description("nodes joined").register(registry);
    left = Counter.builder("scr_cluster_left_nodes").description("nodes left").register(registry);
  }

  /** Reads the membership at each scrape. */
  void watch(Membership membership, Supplier<Number> lostOfRun) {
    Gauge.builder("scr_cluster_nodes", () -> membership.nodes().size())
        .description("nodes that this node sees, itself included").register(registry);
    Gauge.builder("scr_cluster_leading", () -> membership.isLeader() ? 1 : 0)
        .description("1 on the leader, 0 on others").register(registry);
    Gauge.builder("scr_run_lost_nodes", lostOfRun)
        .description("nodes of the last run that this node does not see").register(registry);
  }

  @Override
  public void notice(Event event) {
    switch (event) {
      case Event.NodeJoined _ -> joined.increment();
      case Event.NodeLeft _ -> left.increment();
      default -> {
        // Others count that.
      }
    }
  }
}
