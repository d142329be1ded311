package io.vertxscr.service.container;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FlushDescriptor.ContainerSizes;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.container.AggregateRequest;
import io.vertxscr.protocol.node.container.ContainerPlace;
import io.vertxscr.protocol.node.container.MeasureReply;
import io.vertxscr.protocol.node.container.MeasureRequest;
import io.vertxscr.protocol.node.container.PublishContainers;
import io.vertxscr.protocol.node.flush.FlushWorked;
import io.vertxscr.service.LockedJobs;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OpenPrefix;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** The leader half of container aggregation (docs/flows/containers.md). On the node's loop. */
public final class ContainerSteps {
  private final NodeBus bus;
  private final LockedJobs locked;

  /** Works for the leader of a node. */
  public ContainerSteps(NodeBus bus, LockedJobs locked) {
    this.bus = bus;
    this.locked = locked;
  }

  /**
   * Where everything goes in one attempt.
   *
   * @param places by node, in the order of the stream
   * @param count of containers
   */
  public record Plan(ContainerDrafts drafts, Map<String, ContainerPlace> places, int count) {}

  /**
   * What has to be packed.
   *
   * @param token of the leader that wants it
   * @param ranks of each node, in the order of the stream within the node
   */
  public record ContainerContent(DatasetDescriptor dataset, OpenPrefix directory, PrefixToken token,
      ContainerSizes containers, Map<String, List<Integer>> ranks) {
    /**
     * Returns the nodes in the order of the stream. That is by their lowest ranks, as ranks of a run mostly follow each
     * other.
     */
    private List<String> nodes() {
      return ranks.entrySet().stream().sorted(Comparator.comparing(entry -> entry.getValue().getFirst()))
          .map(Map.Entry::getKey).toList();
    }
  }

  /** Sums by node, a scan over the nodes; then the drafts of all other layouts are removed. */
  public Future<Plan> plan(ContainerContent packed, int attempt) {
    List<String> nodes = packed.nodes();
    int id = packed.dataset().id();
    List<Future<MeasureReply>> asked = nodes.stream().map(node -> bus.ask(node, NodeVerb.AGGREGATE_MEASURE,
        new MeasureRequest(id, attempt, packed.ranks().get(node)), MeasureReply.class)).toList();
    return Future.all(asked).compose(_ -> {
      List<Long> bytes = asked.stream().map(measured -> measured.result().bytes()).toList();
      ContainerLayout layout = new ContainerLayout(packed.containers().bytes(), packed.containers().alignBytes());
      List<Long> starts = layout.starts(bytes);
      int count = layout.containers(starts.getLast() + bytes.getLast());
      String name = name(packed, nodes, starts);
      ContainerDrafts drafts = new ContainerDrafts(packed.directory().paths(), id, name);
      PrefixIndex index = packed.directory().as(packed.token()).index();
      return locked.run("prepare containers of dataset " + id, () ->
          index.exclusively(_ -> drafts.prepare())).map(copied -> {
        Map<String, ContainerPlace> places = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
          places.put(nodes.get(i),
              new ContainerPlace(name, layout.containerBytes(), layout.alignBytes(), starts.get(i), copied));
        }
        return new Plan(drafts, places, count);
      });
    });
  }

  /**
   * Returns the name of the drafts, another one for each dataset and token. It differs, too, wherever a rank's files
   * are at another place or node.
   */
  private static String name(ContainerContent packed, List<String> nodes, List<Long> starts) {
    List<Object> all = new ArrayList<>(List.of(packed.containers()));
    for (int i = 0; i < nodes.size(); i++) {
      all.add(nodes.get(i));
      all.add(starts.get(i));
      all.add(packed.ranks().get(nodes.get(i)));
    }
    CRC32 crc = new CRC32();
    crc.update(all.toString().getBytes(StandardCharsets.UTF_8));
    return ContainerDrafts.name(
        packed.dataset().createdUs() + "." + Long.toHexString(crc.getValue()), packed.token());
  }

  /** All nodes copy their files into the draft containers. */
  public Future<List<FlushWorked>> aggregate(ContainerContent packed, int attempt, Plan plan, boolean background) {
    List<Future<FlushWorked>> asked = plan.places().entrySet().stream().map(node -> bus.command(node.getKey(),
        NodeVerb.AGGREGATE, new AggregateRequest(packed.dataset().id(), attempt, packed.ranks().get(node.getKey()),
            background, node.getValue()), FlushWorked.class)).toList();
    return Future.join(asked).map(_ -> asked.stream().map(Future::result).toList());
  }

  /** All nodes have copied: the node with the first bytes renames the containers. */
  public Future<Void> publish(ContainerContent packed, int attempt, Plan plan, PrefixToken token) {
    Map.Entry<String, ContainerPlace> first = plan.places().entrySet().iterator().next();
    return bus.command(first.getKey(), NodeVerb.AGGREGATE_PUBLISH, new PublishContainers(packed.dataset().id(), attempt,
        packed.directory().paths().prefix().toString(), first.getValue().layout(), plan.count(), token),
        Ack.class).mapEmpty();
  }
}
