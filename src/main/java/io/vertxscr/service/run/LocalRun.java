package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.LocalGather;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.paths.PathClaims;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Limits;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Shortfalls;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.Packed;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.run.GatherPart;
import io.vertxscr.protocol.node.run.GatherResult;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.cache.RunCache;
import io.vertxscr.service.redundancy.ProtectionJob;
import io.vertxscr.storage.RankInMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** A run on one of its nodes: the sessions of its ranks, and its gathers. */
public final class LocalRun {
  private final NodeBus bus;
  private final String self;
  private final BiConsumer<LocalRun, ScrException> nodeLost;
  private final SortedMap<Integer, RankSession> sessions = new TreeMap<>();
  private final Set<String> closed = new HashSet<>();
  private final Map<Integer, Promise<Object>> waiting = new HashMap<>();
  /** Ranks that cannot go on, and who hears when the run is over. */
  private final Map<Integer, Promise<DoneReply>> aborting = new TreeMap<>();
  private final LocalGather localGather;
  private final RunCache cache;
  private final Map<Integer, ProtectionJob.Sets> sets = new HashMap<>();
  private final RunQuestions questions;
  private final List<String> remarks = new ArrayList<>();
  private final PathClaims claims = new PathClaims(Limits.MAX_CLAIMED_PATHS);
  private final ReceivedFiles received = new ReceivedFiles();
  private RunInfo info;
  private long gathers;
  /** Whether the last gather has no result here. */
  private boolean unheard;
  private List<String> shortfalls;
  private List<String> nodes;
  private Optional<GatherResult> lastGathered = Optional.empty();
  private OpenDataset open;
  private ScrException over;
  private boolean selected;
  private boolean restarted;
  private boolean carrying = true;

  /**
   * A run that begins on this node.
   *
   * @param bus brings the contributions of this node to the leader
   * @param self this node
   * @param nodeLost hears of a lost node, which ends the run
   */
  LocalRun(RunInfo info, Map<Integer, String> clientOfRank, NodeBus bus, String self,
      BiConsumer<LocalRun, ScrException> nodeLost) {
    this.info = info;
    this.bus = bus;
    this.self = self;
    this.nodeLost = nodeLost;
    clientOfRank.forEach((rank, client) -> sessions.put(rank, new RankSession(rank, client)));
    this.questions = new RunQuestions(clientOfRank.keySet());
    this.localGather = new LocalGather(clientOfRank.keySet());
    this.cache = new RunCache(info);
  }

  public RunInfo info() {
    return info;
  }

  /** Computes the redundancy sets of a descriptor; every node does so from the same rank map and groups. */
  public ProtectionJob.Sets sets(CheckpointDescriptor descriptor) {
    return sets.computeIfAbsent(descriptor.index(),
        _ -> ProtectionJob.Sets.of(info.map(), descriptor, info.policy().descriptors().groups()));
  }

  /** Its nodes, in the order of their names, each once. */
  public List<String> nodes() {
    if (nodes == null) {
      nodes = List.copyOf(info.map().byNode().keySet());
    }
    return nodes;
  }

  /** Paths that this node watches over. */
  public PathClaims claims() {
    return claims;
  }

  /** Small files of other nodes. */
  public ReceivedFiles received() {
    return received;
  }

  /** Whether a gather may carry files. */
  public boolean isCarrying() {
    return carrying;
  }

  /** Some node has too many files for that: the others save themselves the attempt. */
  public void endCarrying() {
    carrying = false;
  }

  /** Takes the small files that came for the gather whose result has just become known, by rank. */
  public Map<Integer, RankInMemory> takeReceived() {
    return received.take(gathers);
  }

  /** Returns unmet redundancy requirements, in sentences. */
  List<String> shortfalls() {
    if (shortfalls == null) {
      shortfalls = Shortfalls.of(info.policy().descriptors(), info.map());
    }
    return shortfalls;
  }

  /** Returns the run's view of this node's caches. */
  public RunCache cache() {
    return cache;
  }

  public void info(RunInfo changed) {
    info = changed;
  }

  Collection<RankSession> sessions() {
    return sessions.values();
  }

  /**
   * The session of a rank on this node.
   *
   * @throws ScrException why the run is over, or UNKNOWN_RANK
   */
  public RankSession session(long run, int rank, String client) {
    if (run != info.run()) {
      throw new ScrException(Fault.WRONG_STATE, "run " + run + " is over; this node is in run " + info.run());
    }
    if (over != null) {
      throw over;
    }
    RankSession session = sessions.get(rank);
    if (session == null) {
      throw new ScrException(
          Fault.UNKNOWN_RANK, "rank " + rank + " is not on this node; here are " + sessions.keySet());
    }
    if (!session.client().equals(client)) {
      throw new ScrException(Fault.DUPLICATE_RANK, "rank " + rank + " speaks over another connection");
    }
    return session;
  }

  /** Returns the queries between phases. */
  public RunQuestions questions() {
    return questions;
  }

  LocalGather localGather() {
    return localGather;
  }

  /** Promises of the ranks that wait in the collective call. */
  public Map<Integer, Promise<Object>> waiting() {
    return waiting;
  }

  long gathers() {
    return gathers;
  }

  Optional<GatherResult> lastGathered() {
    return lastGathered;
  }

  /**
   * Contributes this node's part to a step of all nodes, and waits for its result.
   *
   * @param result type of the result of this step
   * @return the result; fails with the fault that all nodes get, or with the cause of the end of the run
   */
  public <R> Future<R> gather(Step step, Object part, Class<R> result) {
    return gather(step, Optional.empty(), Packed.of(part)).map(packed -> packed.as(result));
  }

  /** Contributes this node's part to a step whose result is only that all nodes have done so. */
  public Future<Void> gather(Step step, Object part) {
    return gather(step, Optional.empty(), Packed.of(part)).mapEmpty();
  }

  /** Contributes that the ranks of this node disagree, which fails the step on all nodes. */
  Future<Void> disagree(Step step, String how) {
    return gather(step, Optional.of(how), Packed.NOTHING).mapEmpty();
  }

  private Future<Packed> gather(Step step, Optional<String> odd, Packed part) {
    if (over != null) {
      throw over;
    }
    GatherPart mine = new GatherPart(info.run(), gathers + 1, self, step, odd, part);
    unheard = true;
    return bus.askLeader(NodeVerb.GATHER, mine, GatherResult.class).map(result -> {
      if (over != null) {
        throw over;
      }
      unheard = false;
      gathers++;
      claims.end(gathers);
      lastGathered = Optional.of(result);
      tell(result.remarks());
      if (result.fault() != 0) {
        throw new ScrException(Fault.of(result.fault()), result.message());
      }
      return result.result();
    }).onFailure(failure -> {
      if (failure instanceof ScrException cause && cause.fault() == Fault.NODE_LOST) {
        nodeLost.accept(this, cause);                     // before its ranks hear of it: their next calls hear the same
      }
    });
  }

  /** Whether the result of the last gather is not known here: other nodes may have heard it. */
  public boolean isUnheard() {
    return unheard;
  }

  /** Returns the number of the next gather, the same on all nodes. */
  public long nextGather() {
    return gathers + 1;
  }

  /** Notes what rank 0 is told with its next answer, if it is here. */
  public void tell(List<String> more) {
    if (sessions.containsKey(0)) {
      remarks.addAll(more);
    }
  }

  /** Takes the pending messages for rank 0. */
  List<String> takeRemarks() {
    List<String> taken = List.copyOf(remarks);
    remarks.clear();
    return taken;
  }

  /** Whether none of its ranks is in a call, or writes or reads a dataset. */
  boolean isIdle() {
    return waiting.isEmpty() && open == null;
  }

  /** The dataset that is being written or read; null between phases. */
  public OpenDataset open() {
    return open;
  }

  /** What its ranks write to the prefix directory at once. */
  Optional<DatasetDescriptor> bypassing() {
    return Optional.ofNullable(open).filter(OpenDataset::isBypass).filter(_ -> sessions().stream()
        .anyMatch(session -> session.state().phase() == SessionState.SessionPhase.OUTPUT))   // else it is read there
        .map(OpenDataset::descriptor);
  }

  public void open(OpenDataset dataset) {
    open = dataset;
  }

  /** The application has restarted, from the offered checkpoint or by itself. It writes, or has read all. */
  public void restarted() {
    restarted = true;
    selected = false;
  }

  public boolean hasRestarted() {
    return restarted;
  }

  /** Selects a checkpoint for the restart; after a restart only its name matters. */
  public void select() {
    selected = !restarted;
  }

  public boolean hasSelected() {
    return selected;
  }

  /** Whether all ranks of this node have finalized. */
  boolean isFinished() {
    return sessions().stream().allMatch(session -> session.state().phase() == SessionState.SessionPhase.ENDED);
  }

  public boolean isOver() {
    return over != null;
  }

  /** The connection of an application has ended, and its process with it. */
  void closed(String client) {
    if (sessions().stream().anyMatch(session -> session.client().equals(client))) {
      closed.add(client);
    }
  }

  /** Whether it is over and none of its processes is left on this node. */
  boolean isDeserted() {
    return isOver() && sessions().stream().allMatch(session -> closed.contains(session.client()));
  }

  /** Whether this run was ended by a halt condition: its ranks may say good-bye, but nothing else. */
  public boolean isHalted(long run) {
    return run == info.run() && over != null && over.fault() == Fault.HALTED;
  }

  /** Ends the run here: open and later calls fail with the cause. */
  void end(ScrException cause) {
    if (over == null) {
      over = cause;
      Map<Integer, Promise<Object>> all = new TreeMap<>(waiting);
      waiting.clear();
      all.values().forEach(promise -> promise.tryFail(cause));
      aborting.values().forEach(promise -> promise.tryComplete(new DoneReply()));
    }
  }

  /** A rank cannot go on. It is told when the run is over. */
  void abort(RankSession session, Promise<DoneReply> told) {
    aborting.put(session.rank(), told);
  }

  boolean isAborting(RankSession session) {
    return aborting.containsKey(session.rank());
  }

  public Optional<ScrException> over() {
    return Optional.ofNullable(over);
  }

  /** Session of a rank. */
  public static final class RankSession {
    private final int rank;
    private final String client;
    private SessionState state = SessionState.IDLE;
    private long lastCall;
    private Future<Object> lastAnswer;

    RankSession(int rank, String client) {
      this.rank = rank;
      this.client = client;
    }

    int rank() {
      return rank;
    }

    String client() {
      return client;
    }

    public SessionState state() {
      return state;
    }

    public void state(SessionState next) {
      state = next;
    }

    long lastCall() {
      return lastCall;
    }

    Future<Object> lastAnswer() {
      return lastAnswer;
    }

    void answer(long call, Future<Object> answer) {
      lastCall = call;
      lastAnswer = answer;
    }
  }
}
