package io.vertxscr.service.advice;

import io.vertx.core.Future;
import io.vertxscr.config.policy.IntervalPolicy;
import io.vertxscr.flow.advice.Advice;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.advice.HaltConditions.Met;
import io.vertxscr.flow.advice.LeaderAnswers;
import io.vertxscr.flow.advice.Question;
import io.vertxscr.flow.advice.Rule;
import io.vertxscr.flow.advice.Withdrawn;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.protocol.node.advice.AdviceLeaseRequest;
import io.vertxscr.protocol.node.advice.AdviceWithdrawal;
import io.vertxscr.service.Epoch;
import io.vertxscr.service.NodeBus;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's answers to should-exit and need-checkpoint ({@link LeaderAnswers}). One answer for all ranks; it changes
 * with the halt file, a checkpoint or the time. On the node's loop.
 */
public final class Advisor {
  private static final Logger LOG = LoggerFactory.getLogger(Advisor.class);
  /** Versions of a later leader are above all of an earlier one. */
  private static final int EPOCH_SHIFT = 24;

  private final NodeBus bus;
  private final Epoch epoch;
  private final HaltWatch halts;
  private final CheckpointTimes times;
  private IntervalPolicy interval = IntervalPolicy.STANDARD;
  private Map<Question, Book> books = Map.of();

  /** Advises for a node, whenever it leads. */
  public Advisor(NodeBus bus, Epoch epoch, HaltWatch halts, CheckpointTimes times) {
    this.bus = bus;
    this.epoch = epoch;
    this.halts = halts;
    this.times = times;
    halts.onLook(this::reconsider);
  }

  /** One question in one run. */
  private static final class Book {
    private final long run;
    private final Collection<String> nodes;
    private final Question question;
    private final LeaderAnswers answers;
    private Future<Void> withdrawing = Future.succeededFuture();

    Book(RunInfo info, Question question, long version, boolean begins) {
      this.run = info.run();
      this.nodes = info.map().byNode().keySet();
      this.question = question;
      this.answers = new LeaderAnswers(nodes, version, begins);
    }
  }

  /** A run is about to begin ({@code begins}), or continues under this leader after a failover. */
  public void open(RunInfo info, boolean begins) {
    Map<Question, Book> all = new EnumMap<>(Question.class);
    for (Question question : Question.values()) {
      all.put(question, new Book(info, question, epoch.value() << EPOCH_SHIFT, begins));
    }
    books = all;
    interval = info.policy().interval();
    times.open(info, begins);
    if (!begins) {
      all.values().forEach(this::withdraw);
    }
  }

  /** Nobody asks any more. */
  public void close() {
    books = Map.of();
  }

  /** Returns a grant for the next calls of a node. */
  public Future<Grant> advise(AdviceLeaseRequest ask) {
    Book book = books.get(ask.question());
    if (book == null || book.run != ask.run()) {
      return Future.failedFuture(
          new ScrException(Fault.WRONG_STATE, "run " + ask.run() + " is not the one that is on"));
    }
    Future<Void> before = book.withdrawing;
    return before.compose(_ -> {
      settle(book);
      return book.answers.isWithdrawing() ? advise(ask)
          : Future.succeededFuture(book.answers.grant(ask.node(), ask.known(), ask.slowest(), wanted(book.question)));
    });
  }

  /** Something may have changed: if an answer has, it is taken back from the nodes. */
  void reconsider() {
    books.values().forEach(this::settle);
  }

  private void settle(Book book) {
    if (book.answers.mustWithdraw(wanted(book.question))) {
      withdraw(book);
    }
  }

  private void withdraw(Book book) {
    AdviceWithdrawal withdraw =
        new AdviceWithdrawal(book.run, book.question, book.answers.withdraw(), book.answers.known());
    List<Future<Withdrawn>> told = book.nodes.stream()
        .map(node -> bus.command(node, NodeVerb.ADVICE_WITHDRAW, withdraw, Withdrawn.class)
            .onSuccess(said -> book.answers.withdrawn(node, said)))
        .toList();
    book.withdrawing = Future.all(told).<Void>mapEmpty().onFailure(failure ->
        LOG.debug("run {}: {} is not settled: {}", book.run, book.question.title(), failure.getMessage()));
  }

  private Advice wanted(Question question) {
    Optional<Met> met = halts.met();
    if (met.isPresent()) {
      return new Advice(Rule.yes(met.get().reason()), false);   // and what is needed is a last checkpoint
    }
    return question == Question.SHOULD_EXIT ? new Advice(Rule.NO, false) : times.wanted(interval);
  }
}
