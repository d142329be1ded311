package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.flow.paths.NodePaths.Claim;
import io.vertxscr.flow.paths.NodePaths;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.flow.paths.PathClaims.Taken;
import io.vertxscr.flow.paths.PathHash;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.SmallRank;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.ClaimPaths;
import io.vertxscr.protocol.node.run.PathsClaimed;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.RankInMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Finds paths that several ranks of a run have in one dataset, by hash partitioning. Each node owns a share of all
 * paths, and answers the claims of the nodes of the ranks ({@link io.vertxscr.flow.paths.PathClaims}). On the node's
 * loop.
 */
public final class ClaimService {
  private final NodeBus bus;
  private final String self;
  private final RunService runs;

  /** Serves a node. */
  public ClaimService(NodeBus bus, String self, RunService runs) {
    this.bus = bus;
    this.self = self;
    this.runs = runs;
  }

  /** The paths of this node's ranks; on any thread, and much to compute. @param nodes of the run */
  NodePaths paths(List<String> nodes, List<RankFiles> ranks) {
    return NodePaths.of(self, ranks, nodes);
  }

  /**
   * Claims the paths for the next gather, which may be entered when this is complete.
   *
   * @param small files that go to other nodes with it, by node
   * @return what ranks here have although another one has claimed it before; of two nodes, the second to ask hears so
   */
  Future<List<Second>> claim(LocalRun run, NodePaths paths, Map<String, List<SmallRank>> small) {
    long gather = run.nextGather();
    List<Second> seconds = new ArrayList<>(paths.here());
    List<Future<PathsClaimed>> asked = new ArrayList<>();
    SortedSet<String> nodes = new TreeSet<>(paths.byOwner().keySet());
    nodes.addAll(small.keySet());
    nodes.forEach(owner -> {
      Claim claim = paths.claim(owner);
      if (owner.equals(self)) {
        seconds.addAll(claim.seconds(self, run.claims().claim(gather, self, claim.ranks(), claim.hashes())));
      } else {
        ClaimPaths request = new ClaimPaths(run.info().run(), gather, self, claim.ranks(),
            PathHash.pack(claim.hashes()), small.getOrDefault(owner, List.of()));
        asked.add(bus.ask(owner, NodeVerb.CLAIM_PATHS, request, PathsClaimed.class)
            .onSuccess(answer -> seconds.addAll(claim.seconds(self, answer.taken()))));
      }
    });
    return Future.all(asked).map(_ -> seconds);
  }

  /**
   * Files of all ranks here that the next gather carries instead of {@link #claim}, so that nobody is asked. Empty
   * where that is too much to be sent to all nodes.
   *
   * @param small files with their bytes, by rank
   * @param bytes whether members of the sets need them, not only the paths
   */
  static List<SmallRank> carried(
      LocalRun run, List<RankFiles> ranks, Map<Integer, RankInMemory> small, boolean bytes) {
    List<RankFiles> written = ranks.stream().filter(rank -> !rank.files().isEmpty()).toList();
    boolean fits = run.isCarrying() && run.nodes().size() <= Limits.MAX_CARRYING_NODES
        && written.stream().mapToInt(rank -> rank.files().size()).sum() <= Limits.MAX_CARRIED_FILES;
    if (fits && !bytes) {
      return written.stream().map(SmallRank::onlyPaths).toList();
    }
    return fits && written.stream().allMatch(rank -> small.containsKey(rank.rank()))
        && written.stream().mapToLong(RankFiles::bytes).sum() <= Limits.MAX_CARRIED_BYTES
        ? written.stream().map(rank -> small.get(rank.rank()))
            .map(files -> SmallRank.described(files.files(), files.bytes())).toList() : List.of();
  }

  /**
   * Files of other nodes' ranks that the last gather has carried, by rank.
   *
   * @throws ScrException BAD_REQUEST if they came with other bytes
   */
  Map<Integer, RankInMemory> received(LocalRun run, List<SmallRank> carried) {
    return carried.stream().filter(rank -> !run.info().map().nodeOf(rank.rank()).equals(self))
        .map(rank -> RankInMemory.received(rank.rankFiles(), rank.content()))
        .collect(Collectors.toMap(files -> files.files().rank(), files -> files));
  }

  /** Claims of another node's ranks. */
  public Future<PathsClaimed> claimed(ClaimPaths request) {
    LocalRun run = runs.run().filter(mine -> mine.info().run() == request.run()).orElseThrow(() -> new ScrException(
        Fault.WRONG_STATE, "run " + request.run() + ", whose paths node " + request.node() + " claims, is not on node "
            + self));
    if (request.gather() > run.nextGather() + 1) {        // no node is further: each gather needs this node's part
      throw new ScrException(Fault.BAD_REQUEST, "node " + request.node() + " claims paths for gather "
          + request.gather() + ", this node is at " + run.nextGather());
    }
    List<RankInMemory> small = request.small().stream()
        .map(rank -> RankInMemory.received(rank.rankFiles(), rank.content())).toList();
    small.stream().map(files -> files.files().rank())
        .filter(rank -> !run.info().map().nodeOf(rank).equals(request.node())).findFirst().ifPresent(rank -> {
          throw new ScrException(
              Fault.BAD_REQUEST, "node " + request.node() + " sends files of rank " + rank + ", which is not there");
        });
    List<Taken> taken = run.claims().claim(
        request.gather(), request.node(), request.ranks(), PathHash.unpack(request.paths()));
    run.received().put(request.gather(), small);          // not of a gather that is over
    return Future.succeededFuture(new PathsClaimed(taken));
  }
}
