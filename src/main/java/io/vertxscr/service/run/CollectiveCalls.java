package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.LocalGather;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.CallReply;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.service.Loop;
import io.vertxscr.service.TraceScope;
import io.vertxscr.service.Traces;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * The collective calls of an application. It checks each rank's call, waits for all ranks of the node, has the step
 * done, and answers every rank. On the node's loop.
 */
public final class CollectiveCalls {
  /** Failures that use no number, and leave a phase open (docs/messages.md). */
  private static final Set<Fault> NOT_COUNTED =
      EnumSet.of(Fault.BAD_REQUEST, Fault.BUSY, Fault.STOPPING, Fault.TIMEOUT);

  private final Loop loop;
  private final String self;
  private final RunService runs;
  private final Map<Step, StepAction> actions;
  private boolean stopping;
  /** Of the open call, where traces are read: its first rank, and all of them. */
  private long firstNs;
  private long allNs;

  /** Who calls: the run, the rank, the number of the call, and the connection. */
  public record Caller(long run, int rank, long call, String client) {}

  /** What a node does in a step; all its ranks have made the same call. */
  public interface StepAction {
    Future<StepReplies> run(LocalRun run, List<RankCall> calls);
  }

  /**
   * What the ranks are told.
   *
   * @param ofRank the reply; what rank 0 is told besides is added to it
   * @param restartAvailable what HAVE_RESTART found
   */
  public record StepReplies(IntFunction<CallReply> ofRank, boolean restartAvailable) {
    public static StepReplies same(CallReply reply) {
      return new StepReplies(_ -> reply, false);
    }
  }

  /**
   * Serves a node.
   *
   * @param actions what the node does in each step
   */
  public CollectiveCalls(Loop loop, String self, RunService runs, Map<Step, StepAction> actions) {
    this.loop = loop;
    this.self = self;
    this.runs = runs;
    this.actions = Map.copyOf(actions);
  }

  /** One rank's call; completes when all ranks of the run have called and the step is done. */
  public Future<Object> call(Caller caller, Step step, String name, int flags, boolean valid) {
    return call(caller, new RankCall(caller.rank(), step, name, flags, valid));
  }

  /** The same, for a call that says more. */
  public Future<Object> call(Caller caller, RankCall call) {
    LocalRun run = runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on node " + self + ": call init first"));
    if (call.step() == Step.FINALIZE && run.isHalted(caller.run())) {
      return Future.succeededFuture(new DoneReply());      // it hears of the end by should-exit, and finalizes
    }
    LocalRun.RankSession session = run.session(caller.run(), caller.rank(), caller.client());
    if (caller.call() == session.lastCall()) {
      return session.lastAnswer();
    }
    if (caller.call() != session.lastCall() + 1) {
      throw new ScrException(Fault.BAD_REQUEST, "rank " + caller.rank() + " sends call " + caller.call()
          + ", after call " + session.lastCall());
    }
    if (stopping && call.step() == Step.START_OUTPUT) {     // no answer to remember: the number may come again later
      throw new ScrException(Fault.STOPPING, "node " + self + " is stopping and takes no new phase");
    }
    Promise<Object> promise = loop.promise();
    Future<Object> answer = call.step() == Step.FINALIZE ? promise.future().recover(CollectiveCalls::evenIfHalted)
        : promise.future();
    long before = session.lastCall();
    Future<Object> answerBefore = session.lastAnswer();
    session.answer(caller.call(), answer);
    answer.onFailure(failure -> {
      if (NOT_COUNTED.contains(Fault.of(failure)) && session.lastCall() == caller.call()) {
        session.answer(before, answerBefore);
      }
    });
    try {
      enter(run, session, call, promise);
    } catch (ScrException e) {
      promise.tryFail(e);
    }
    return answer;
  }

  /** Who takes its leave may do so, also when the run is halted before the others have called. */
  private static Future<Object> evenIfHalted(Throwable failure) {
    return Fault.of(failure) == Fault.HALTED ? Future.succeededFuture(new DoneReply()) : Future.failedFuture(failure);
  }

  private void enter(LocalRun run, LocalRun.RankSession session, RankCall call, Promise<Object> promise) {
    if (run.waiting().containsKey(call.rank())) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + call.rank() + " called " + call.step().title()
          + " while its last call is not answered yet");
    }
    session.state().check(call.rank(), call.step());
    firstNs = run.waiting().isEmpty() ? loop.traces().now() : firstNs;
    run.waiting().put(call.rank(), promise);
    run.localGather().arrive(call).ifPresent(all -> {
      allNs = loop.traces().now();
      act(run, all, call.rank());
    });
  }

  private void act(LocalRun run, List<RankCall> calls, int lastRank) {
    Step step = calls.getFirst().step();
    Optional<String> odd = LocalGather.disagreement(calls);
    Future.succeededFuture()
        .compose(_ -> odd.isPresent()
            ? run.disagree(step, odd.get()).<StepReplies>mapEmpty() : actions.get(step).run(run, calls))
        .onComplete((answers, failure) -> {
          trace(run, step, lastRank, failure);
          answer(run, step, answers, failure);
        });
  }

  /** The span of a step of an output phase. One that could not begin has no dataset, and none. */
  private void trace(LocalRun run, Step step, int lastRank, Throwable failure) {
    Traces traces = loop.traces();
    OpenDataset open = run.open();
    if (traces.isOn() && open != null && (step == Step.START_OUTPUT || step == Step.COMPLETE_OUTPUT)) {
      TraceScope call = traces.phase(run.info().run(), open.descriptor().id()).child(step.title());
      traces.ended(call.child("await ranks").with("scr.rank.last", lastRank), firstNs, allNs);
      traces.ended(call.with("scr.ranks", run.waiting().size()), firstNs, failure);
    }
  }

  private void answer(LocalRun run, Step step, StepReplies answers, Throwable failure) {
    Map<Integer, Promise<Object>> promises = new TreeMap<>(run.waiting());
    run.waiting().clear();
    boolean phaseEnds = step == Step.COMPLETE_OUTPUT || step == Step.COMPLETE_RESTART;
    boolean nothingChanged = failure instanceof ScrException e && e.fault() == Fault.RANKS_DISAGREE;
    if (failure == null || (phaseEnds && !nothingChanged)) {
      boolean available = answers != null && answers.restartAvailable();
      run.sessions().forEach(session -> session.state(session.state().after(step, available)));
      if (phaseEnds) {
        run.open(null);
      }
    }
    promises.forEach((rank, promise) -> {
      if (failure == null) {
        CallReply reply = answers.ofRank().apply(rank);
        List<String> remarks = rank == 0 ? run.takeRemarks() : List.of();
        promise.tryComplete(remarks.isEmpty() ? reply : reply.with(remarks));
      } else {
        promise.tryFail(phaseEnds && NOT_COUNTED.contains(Fault.of(failure))
            ? new ScrException(Fault.IO, failure.getMessage(), failure) : failure);
      }
    });
  }

  /** Begins no new phase from now on. */
  public void stopping() {
    stopping = true;
  }
}
