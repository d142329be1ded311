package io.vertxscr.service.redundancy;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.HeaderRequest;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.protocol.node.restart.RankLayout;
import io.vertxscr.protocol.node.restart.RestoreRanks;
import io.vertxscr.redundancy.DividedRestore;
import io.vertxscr.redundancy.EncodeJob;
import io.vertxscr.redundancy.EncodePlan;
import io.vertxscr.redundancy.PieceChecksums;
import io.vertxscr.redundancy.RangeChecksums;
import io.vertxscr.redundancy.RebuildPlan;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.KnownLayouts;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.service.BoundedParallel;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.RangeSources;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Restores one rank's files on this node: from their holder, or from the redundancy set. */
public final class RankRestorer {
  /** Enough for a sync of its own, little enough that all threads have something to do until the end. */
  static final long PART_BYTES = 32L << 20;
  /** Of one rank: as many threads as an engine has at most. */
  private static final int PARTS_AT_ONCE = 4;

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

  /**
   * Makes the redundancy file of a rank here again, under another name. The filemap names that one then.
   *
   * @param plan with the nodes of the members' files
   * @return fails with CORRUPT, and nothing changed, if it comes out with other bytes than the damaged one had: the
   *     files of some member are not what they were
   */
  public Future<Void> redundancy(DatasetRecord held, RankPlan plan) {
    int id = held.descriptor().id();
    RankRecord rank = held.rank(plan.rank()).orElseThrow(() -> new ScrException(
        Fault.UNKNOWN_RANK, "no redundancy of rank " + plan.rank() + " of dataset " + id + " is here"));
    return layouts(id, plan).compose(layouts -> {
      EncodePlan encode = new EncodePlan(held.descriptor(), held.origin().ranks(), held.scheme(), rank.set(),
          plan.rank(), rank.set().ranks().stream().map(member ->
              layouts.files().getOrDefault(member, new RankFiles(member, List.of()))).toList(),
          plan.members().stream().map(Member::filesNode).toList()).byItself();
      RangeSource source = sources.of(layouts, Fault.CORRUPT);
      return loop.blocking("make redundancy of dataset " + id + " rank " + plan.rank() + " again", () -> {
        replace(held, rank, encode, source);
        return null;
      });
    });
  }

  private void replace(DatasetRecord held, RankRecord rank, EncodePlan plan, RangeSource source) {
    int id = held.descriptor().id();
    String name = RedundancyFiles.name(store.createGeneration(id), plan.scheme(), plan.set(), plan.rank());
    try (EncodeJob job = new EncodeJob(plan, source, store.directory(id).resolve(name), store.syncs(id))) {
      requireSame(rank, plan, job.run(), job);
      job.seal(plan.layouts());
      store.update(held.descriptor().key(), now -> now.rank(plan.rank()).filter(rank::isLike)
          .map(same -> now.with(same.with(name, job.parityCrc()))).orElse(now));
    }
    store.damaged().clear(held.descriptor().key(), plan.rank(), HeldPart.REDUNDANCY);
  }

  private static void requireSame(RankRecord rank, EncodePlan plan, List<RangeChecksums> ranges, EncodeJob job) {
    boolean same = plan.scheme() != Scheme.PARTNER
        ? rank.redundancyCrc().isEmpty() || rank.redundancyCrc().equals(job.parityCrc())
        : plan.layouts().stream().filter(files -> files.rank() == plan.set().left(plan.rank(), 1))
            .allMatch(files -> PieceChecksums.combine(files, ranges).equals(files));   // farther ones: as it is sealed
    if (!same) {
      throw new ScrException(Fault.CORRUPT, "dataset " + plan.descriptor().id() + ": redundancy of rank " + plan.rank()
          + " comes out with other bytes than it had, so the files of another member of set " + plan.set().ranks()
          + " are damaged");
    }
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

  /** What is small is done by the first job; parts of what is large have all threads. */
  private Future<RankFiles> run(String what, int id, Function<Path, RestoreJob> job) {
    return loop.<Supplier<Future<RankFiles>>>blocking(what, () -> {
      RestoreJob restore = job.apply(store.createDirectory(id));
      if (restore.bytes() <= PART_BYTES) {
        RankFiles done = restore.run();
        return () -> Future.succeededFuture(done);
      }
      DividedRestore divided = restore.divided(PART_BYTES);
      return () -> inParts(what, divided);
    }).compose(Supplier::get);
  }

  /** The next step begins when no part runs any more. */
  private Future<RankFiles> inParts(String what, DividedRestore job) {
    List<Supplier<Future<Void>>> parts = new ArrayList<>();
    job.parts().forEach(part -> parts.add(() -> loop.blocking(what, () -> {
      part.run();
      return null;
    })));
    return BoundedParallel.atOnce(PARTS_AT_ONCE, parts).transform((_, failure) -> loop.blocking(what, () -> {
      try (job) {
        if (failure != null) {
          throw failure instanceof Exception cause ? cause : new IllegalStateException(failure);
        }
        return job.finish();
      }
    }));
  }
}
