package io.vertxscr.service.redundancy;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.HeaderRequest;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.redundancy.RebuildPlan;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.KnownLayouts;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.RangeSources;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Restores one rank's files on this node: from their holder, or from the redundancy set. */
public final class RankRestorer {
  private final Loop loop;
  private final NodeBus bus;
  private final DatasetStore store;
  private final RangeSources sources;

  /** Creates the restorer of a node. */
  public RankRestorer(Loop loop, NodeBus bus, DatasetStore store, RangeSources sources) {
    this.loop = loop;
    this.bus = bus;
    this.store = store;
    this.sources = sources;
  }

  /** Completes when the files are in the cache and checked; the filemap does not know of them yet. */
  public Future<RankFiles> restore(RestoreRanks request, RankPlan plan) {
    return switch (plan.action()) {
      case KEEP -> throw new IllegalArgumentException("rank " + plan.rank() + " is in place");
      case MOVE -> move(request, plan);
      case REBUILD -> rebuild(request, plan);
    };
  }

  private Future<RankFiles> move(RestoreRanks request, RankPlan plan) {
    int id = request.descriptor().id();
    return bus.ask(plan.source(), NodeVerb.LAYOUT, new LayoutRequest(id, List.of(plan.rank())), LayoutReply.class)
        .compose(layout -> {
          RankFiles files = Answers.of(List.of(plan.rank()), layout.files()).getFirst();
          KnownLayouts layouts = new KnownLayouts(store::neighbour);
          note(layouts, new Member(plan.source(), ""), plan.source(), plan.rank(), layout);
          RangeSource source = sources.of(layouts, Fault.CORRUPT);
          return run("move dataset " + id + " rank " + plan.rank(), id, directory ->
              RestoreJob.move(id, files, plan.source(), source, directory));
        });
  }

  private Future<RankFiles> rebuild(RestoreRanks request, RankPlan plan) {
    int id = request.descriptor().id();
    RedundancySet set = plan.set();
    int describes = Protection.describers(set, plan.rank()).stream()
        .filter(rank -> !plan.members().get(set.memberOf(rank)).redundancyNode().isEmpty()).findFirst()
        .orElseThrow(() -> new ScrException(Fault.TOO_MANY_LOST, "dataset " + id
            + ": all redundancy files that describe the files of rank " + plan.rank() + " are lost"));
    String node = plan.members().get(set.memberOf(describes)).redundancyNode();
    return bus.ask(node, NodeVerb.HEADER, new HeaderRequest(id, describes), RedundancyHeader.class)
        .compose(header -> layouts(id, plan).compose(layouts -> {
          RebuildPlan rebuild = new RebuildPlan(header, request.redundancy().scheme(), plan.rank(),
              plan.members().stream().map(Member::filesNode).toList(),
              plan.members().stream().map(Member::redundancyNode).toList());
          RangeSource source = sources.of(layouts, Fault.CORRUPT);
          return run("rebuild dataset " + id + " rank " + plan.rank(), id, directory ->
              RestoreJob.rebuild(rebuild, source, directory));
        }));
  }

  /** Asks every member's node what there is; files and redundancy of one member may be on two nodes. */
  private Future<KnownLayouts> layouts(int id, RankPlan plan) {
    KnownLayouts layouts = new KnownLayouts(store::neighbour);
    List<Future<LayoutReply>> asked = new ArrayList<>();
    for (int rank : plan.set().ranks()) {
      Member member = plan.members().get(plan.set().memberOf(rank));
      Stream.of(member.filesNode(), member.redundancyNode()).filter(node -> !node.isEmpty()).distinct().forEach(node ->
          asked.add(bus.ask(node, NodeVerb.LAYOUT, new LayoutRequest(id, List.of(rank)), LayoutReply.class)
              .map(layout -> note(layouts, member, node, rank, layout))));
    }
    return Future.all(asked).map(layouts);
  }

  /** What a node has of a member: of files and redundancy, only what the plan takes from there. */
  private LayoutReply note(KnownLayouts layouts, Member member, String node, int rank, LayoutReply answer) {
    Answers.of(List.of(rank), answer.files());
    RankLayout layout = answer.ranks().getFirst();
    layouts.store(node, answer.store());
    if (node.equals(member.filesNode())) {
      layouts.files(layout.files());
    }
    if (node.equals(member.redundancyNode())) {
      layout.redundancy().ifPresent(name -> layouts.redundancy(layout.files().rank(), name));
    }
    return answer;
  }

  private Future<RankFiles> run(String what, int id, Function<Path, RestoreJob> job) {
    return loop.blocking(what, () -> job.apply(store.createDirectory(id)).run());
  }
}
