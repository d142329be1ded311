package io.vertxscr.service.container;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FlushDescriptor.Containers;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.node.Flushing.Measured;
import io.vertxscr.protocol.node.Flushing.Packing;
import io.vertxscr.protocol.node.Flushing.Work;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/** What the leader does for the containers of a flush (docs/flows/containers.md). On the node's loop. */
public final class ContainerSteps {
  private final Loop loop;
  private final NodeBus bus;

  public ContainerSteps(Loop loop, NodeBus bus) {
    this.loop = loop;
    this.bus = bus;
  }

  /**
   * Where everything goes in one attempt.
   *
   * @param packings what each node is told, by node
   * @param count of containers
   */
  public record Plan(ContainerDrafts drafts, Map<String, Packing> packings, int count) {}

  /** What has to be packed. @param ranks of each node, in the order of the stream within the node */
  public record Packed(DatasetDescriptor dataset, PrefixPaths paths, Containers containers,
      Map<String, List<Integer>> ranks) {
    /** Nodes in the order of the stream: by their lowest ranks, as ranks of a run mostly follow each other. */
    List<String> nodes() {
      return ranks.entrySet().stream().sorted(Comparator.comparing(entry -> entry.getValue().getFirst()))
          .map(Map.Entry::getKey).toList();
    }
  }

  /** Sums by node, a scan over the nodes; then the drafts of all other layouts are removed. */
  public Future<Plan> plan(Packed packed, int attempt) {
    List<String> nodes = packed.nodes();
    int id = packed.dataset().id();
    List<Future<Measured>> asked = nodes.stream().map(node -> bus.ask(node, NodeVerb.FLUSH_MEASURE,
        new Work(id, attempt, packed.ranks().get(node), false, Optional.empty()), Measured.class)).toList();
    return Future.all(asked).compose(_ -> {
      List<Long> bytes = asked.stream().map(measured -> measured.result().bytes()).toList();
      ContainerLayout layout = new ContainerLayout(packed.containers().bytes(), packed.containers().alignBytes());
      List<Long> starts = layout.starts(bytes);
      int count = layout.containers(starts.getLast() + bytes.getLast());
      String name = name(packed, nodes, starts);
      ContainerDrafts drafts = new ContainerDrafts(packed.paths(), id, name);
      return loop.blocking("prepare containers of dataset " + id, drafts::prepare).map(copied -> {
        Map<String, Packing> packings = new LinkedHashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
          packings.put(nodes.get(i),
              new Packing(name, layout.containerBytes(), layout.alignBytes(), starts.get(i), copied));
        }
        return new Plan(drafts, packings, count);
      });
    });
  }

  /** Differs for different datasets, and wherever a rank's files are at another place. */
  private static String name(Packed packed, List<String> nodes, List<Long> starts) {
    List<Object> all = new ArrayList<>(List.of(packed.containers()));
    for (int i = 0; i < nodes.size(); i++) {
      all.add(starts.get(i));
      all.add(packed.ranks().get(nodes.get(i)));
    }
    CRC32 crc = new CRC32();
    crc.update(all.toString().getBytes(StandardCharsets.UTF_8));
    return packed.dataset().createdUs() + "." + Long.toHexString(crc.getValue());
  }

  /** All nodes have copied: containers get their names. */
  public Future<Void> publish(int datasetId, Plan plan) {
    return loop.blocking("publish containers of dataset " + datasetId, () -> {
      plan.drafts().publish(plan.count());
      return null;
    });
  }
}
