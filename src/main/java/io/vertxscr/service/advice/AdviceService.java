package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.advice.Rule;
import io.vertxscr.flow.advice.Withdrawn;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.QuestionRequest;
import io.vertxscr.protocol.app.ShouldExitReply;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.advice.AdviceLeaseRequest;
import io.vertxscr.protocol.node.advice.AdviceWithdrawal;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.RunQuestions;
import io.vertxscr.service.run.RunService;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Answers should-exit and need-checkpoint from memory, under a lease of the leader. The leader is asked only when the
 * answer may have changed ({@link io.vertxscr.flow.advice.LeaderAnswers}). No rank waits for another one. On the node's
 * loop.
 */
public final class AdviceService {
  private static final Future<ShouldExitReply> HALTED_NOW =
      Future.succeededFuture(
          new ShouldExitReply(true, Optional.of(Halt.Reason.JOB_HALTED.name()), OptionalLong.empty()));

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
  public Future<ShouldExitReply> shouldExit(QuestionRequest call, String client) {
    LocalRun run = run();
    return run.isHalted(call.run()) ? HALTED_NOW
        : ask(run, Question.SHOULD_EXIT, call, client)
            .map(said -> new ShouldExitReply(said.yes(), said.yes() ? Optional.of(said.why()) : Optional.empty(),
                said.beyond(call.call())))
            .recover(failure -> Fault.of(failure) == Fault.HALTED ? HALTED_NOW : Future.failedFuture(failure));
  }

  /** Whether a checkpoint should be written. Legal between phases and while one is written. */
  public Future<NeedCheckpointReply> needCheckpoint(QuestionRequest call, String client) {
    LocalRun run = run();
    Optional<List<String>> basis = call.rank() == 0 && call.call() == 1
        ? Optional.of(List.of(run.info().policy().interval().basis())) : Optional.empty();
    return ask(run, Question.NEED_CHECKPOINT, call, client)
        .map(said -> new NeedCheckpointReply(said.yes(), said.beyond(call.call()), basis));
  }

  private LocalRun run() {
    return runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on node " + self + ": call init first"));
  }

  /** Answer to a rank, for its call and all up to another one. */
  private record Said(boolean yes, String why, long until) {
    OptionalLong beyond(long call) {
      return until > call ? OptionalLong.of(until) : OptionalLong.empty();
    }
  }

  private Future<Said> ask(LocalRun run, Question question, QuestionRequest request, String client) {
    LocalRun.RankSession session = run.session(request.run(), request.rank(), client);
    RunQuestions.Asked asked = run.questions().of(question);
    long call = request.call();
    boolean again = call == asked.lastSent(request.rank());
    if (!again) {
      check(session, question, request, asked.lastCall(request.rank()));
      asked.called(request.rank(), call, call);
    }
    return answer(run, question, call).map(rule -> new Said(rule.yesTo(call), rule.why(),
        until(asked, request, rule.yesTo(call))));
  }

  /** The last call answered together with this one; the same as before for a repeated call. */
  private static long until(RunQuestions.Asked asked, QuestionRequest request, boolean yes) {
    long call = request.call();
    if (asked.lastSent(request.rank()) != call) {
      return call;
    }
    if (asked.lastCall(request.rank()) == call) {
      asked.called(request.rank(), call, asked.answers().sameUntil(call, yes, call + request.ahead().orElse(0)));
    }
    return asked.lastCall(request.rank());
  }

  private static void check(LocalRun.RankSession session, Question question, QuestionRequest request, long last) {
    if (request.call() != last + 1) {
      throw new ScrException(Fault.BAD_REQUEST, "rank " + request.rank() + " sends call " + request.call() + " of "
          + question.title() + ", after call " + last);
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
    AdviceLeaseRequest ask = new AdviceLeaseRequest(
        run.info().run(), question, self, asked.answers().known(), asked.slowest());
    return bus.askLeader(NodeVerb.ADVICE, ask, Grant.class).onSuccess(asked.answers()::learn).mapEmpty();
  }

  /** The leader takes back what this node may answer by itself. */
  public Future<Withdrawn> withdraw(AdviceWithdrawal withdraw) {
    Optional<LocalRun> mine = runs.run().filter(run -> run.info().run() == withdraw.run());
    if (mine.isEmpty()) {
      return Future.succeededFuture(new Withdrawn(withdraw.version(), withdraw.known(), List.of(), 0));
    }
    RunQuestions.Asked asked = mine.get().questions().of(withdraw.question());
    return Future.succeededFuture(
        asked.answers().withdraw(withdraw.version(), withdraw.known(), asked.slowest()));
  }
}
