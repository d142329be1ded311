package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.advice.Rule;
import io.vertxscr.flow.advice.Withdrawn;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.CallRequest;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.ShouldExitReply;
import io.vertxscr.protocol.node.Advising;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.NodeBus;
import java.util.List;
import java.util.Optional;

/**
 * Answers should-exit and need-checkpoint from memory; the leader is asked only when the answer may have changed
 * ({@link io.vertxscr.flow.advice.LeaderAnswers}). No rank waits for another one. On the node's loop.
 */
public final class AdviceService {
  private static final Future<ShouldExitReply> HALTED_NOW =
      Future.succeededFuture(new ShouldExitReply(true, Optional.of(Halt.Reason.JOB_HALTED.name())));

  private final NodeBus bus;
  private final String self;
  private final RunService runs;

  /** Serves a node. */
  public AdviceService(NodeBus bus, String self, RunService runs) {
    this.bus = bus;
    this.self = self;
    this.runs = runs;
  }

  /** Whether the application is to end. Legal in every state before finalize. */
  public Future<ShouldExitReply> shouldExit(CallRequest call, String client) {
    LocalRun run = run();
    return run.isHalted(call.run()) ? HALTED_NOW
        : ask(run, Question.SHOULD_EXIT, call, client)
            .map(rule -> rule.yesTo(call.call())
                ? new ShouldExitReply(true, Optional.of(rule.why())) : new ShouldExitReply(false, Optional.empty()))
            .recover(failure -> Fault.of(failure) == Fault.HALTED ? HALTED_NOW : Future.failedFuture(failure));
  }

  /** Whether a checkpoint should be written. Legal between phases. */
  public Future<NeedCheckpointReply> needCheckpoint(CallRequest call, String client) {
    return ask(run(), Question.NEED_CHECKPOINT, call, client)
        .map(rule -> new NeedCheckpointReply(rule.yesTo(call.call())));
  }

  private LocalRun run() {
    return runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on node " + self + ": call init first"));
  }

  private Future<Rule> ask(LocalRun run, Question question, CallRequest request, String client) {
    LocalRun.RankSession session = run.session(request.run(), request.rank(), client);
    RunQuestions.Asked asked = run.questions().of(question);
    long last = asked.lastCall(request.rank());
    if (request.call() != last) {
      check(run, session, question, request, last);
      asked.called(request.rank(), request.call());
    }
    return answer(run, question, request.call());
  }

  private static void check(
      LocalRun run, LocalRun.RankSession session, Question question, CallRequest request, long last) {
    if (request.call() != last + 1) {
      throw new ScrException(Fault.BAD_REQUEST, "rank " + request.rank() + " sends call " + request.call() + " of "
          + question.title() + ", after call " + last);
    }
    if (run.waiting().containsKey(request.rank())) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " called " + question.title()
          + " while its last call is not answered yet");
    }
    session.state().check(request.rank(), question);
  }

  private Future<Rule> answer(LocalRun run, Question question, long call) {
    RunQuestions.Asked asked = run.questions().of(question);
    Optional<Rule> known = asked.answers().answer(call);
    if (known.isPresent()) {
      return Future.succeededFuture(known.get());
    }
    if (run.isOver()) {
      return Future.failedFuture(run.over().orElseThrow());
    }
    if (asked.asking() == null) {
      asked.asking(askLeader(run, question).onComplete(_ -> asked.asking(null)));
    }
    return asked.asking().compose(_ -> answer(run, question, call));
  }

  private Future<Void> askLeader(LocalRun run, Question question) {
    RunQuestions.Asked asked = run.questions().of(question);
    Advising.Ask ask = new Advising.Ask(
        run.info().run(), question, self, asked.answers().known(), asked.slowest());
    return bus.askLeader(NodeVerb.ADVICE, ask, Grant.class).onSuccess(asked.answers()::learn).mapEmpty();
  }

  /** The leader takes back what this node may answer by itself. */
  public Future<Withdrawn> withdraw(Advising.Withdraw withdraw) {
    Optional<LocalRun> mine = runs.run().filter(run -> run.info().run() == withdraw.run());
    if (mine.isEmpty()) {
      return Future.succeededFuture(new Withdrawn(withdraw.version(), withdraw.known(), List.of(), 0));
    }
    RunQuestions.Asked asked = mine.get().questions().of(withdraw.question());
    return Future.succeededFuture(
        asked.answers().withdraw(withdraw.version(), withdraw.known(), asked.slowest()));
  }
}
