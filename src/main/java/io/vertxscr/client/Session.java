package io.vertxscr.client;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.Verb;
import io.vertxscr.protocol.app.AbortRequest;
import io.vertxscr.protocol.app.CallRequest;
import io.vertxscr.protocol.app.CompleteOutputRequest;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.CompleteRequest;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.FlushReply;
import io.vertxscr.protocol.app.FlushRequest;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.InitReply;
import io.vertxscr.protocol.app.InitRequest;
import io.vertxscr.protocol.app.NameRequest;
import io.vertxscr.protocol.app.NeedCheckpointReply;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.ShardRequest;
import io.vertxscr.protocol.app.ShouldExitReply;
import io.vertxscr.protocol.app.StartOutputRequest;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.json.JsonRecords;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * One rank in its run, from {@code init} to {@link #finish}.
 *
 * <pre>
 *   idle --startOutput, restart--> phase --Phase.complete--> idle --finish--> ended
 * </pre>
 *
 * <p>One collective call at a time; what is not legal fails here, with {@link Fault#WRONG_STATE}, and is not sent. A
 * call that ended with {@link Fault#TIMEOUT}, {@link Fault#BUSY} or {@link Fault#STOPPING} can be made again and keeps
 * its number, so that nothing happens twice; after a timeout no other collective call is made before. Any thread.
 */
public final class Session {
  /** Nothing was done, or the outcome is unknown: a retry has the same number. */
  private static final Set<Fault> NOT_COUNTED = EnumSet.of(
      Fault.TIMEOUT, Fault.BUSY, Fault.STOPPING, Fault.BAD_REQUEST);
  /** The refusals of a complete after which the phase is still open. */
  private static final Set<Fault> STILL_OPEN = EnumSet.of(Fault.TIMEOUT, Fault.BUSY, Fault.STOPPING,
      Fault.BAD_REQUEST, Fault.WRONG_STATE, Fault.UNKNOWN_RANK, Fault.RANKS_DISAGREE);

  private static final int MAX_REMARKS = 1000;

  private final Transport transport;
  private final InitRequest init;
  private final InitReply run;
  private final String workingDirectory = Path.of("").toAbsolutePath().toString();

  private final Map<Verb, Long> asked = new EnumMap<>(Verb.class);
  private final List<String> remarks = new ArrayList<>();
  private final Queue<String> untold = new ArrayDeque<>();
  private boolean isTelling;
  private Consumer<String> remarkListener = _ -> {};
  private final Set<Verb> asking = EnumSet.noneOf(Verb.class);
  private long nextCall = 1;
  private Verb underWay;
  private Verb askAgain;
  private Phase phase;
  private boolean ended;

  Session(Transport transport, InitRequest init, InitReply run) {
    this.transport = transport;
    this.init = init;
    this.run = run;
    run.remarks().ifPresent(remarks::addAll);
  }

  /** Number of the run. */
  public long run() {
    return run.run();
  }

  public int rank() {
    return init.rank();
  }

  /** Size of the run. */
  public int ranks() {
    return init.ranks();
  }

  /** The node that serves this rank. */
  public String node() {
    return run.node();
  }

  /** Release of the node's program (SCR_Get_version). */
  public String version() {
    return run.release();
  }

  /** Returns messages for the user of the run: the first thousand so far; for rank 0 alone. */
  public synchronized List<String> remarks() {
    return List.copyOf(remarks);
  }

  /**
   * Hands every later remark to the listener, in order. That is on the thread that brings the answers: the listener
   * must not wait for one. What it throws is logged.
   */
  public synchronized void onRemark(Consumer<String> listener) {
    remarkListener = listener;
  }

  /** Takes the remarks out of an answer to any call. Not under the lock: the listener may wait for who needs it. */
  private Map<String, Object> hear(Map<String, Object> answer) {
    if (answer.get("remarks") instanceof List<?> told) {
      note(told.stream().map(String::valueOf).toList());
      for (Runnable next = nextToTell(true); next != null; next = nextToTell(false)) {
        PendingCalls.guarded(next);
      }
    }
    return answer;
  }

  private synchronized void note(List<String> told) {
    told.stream().limit(MAX_REMARKS - remarks.size()).forEach(remarks::add);
    untold.addAll(told);
  }

  /** One thread at a time tells them, also those of other answers, so that they stay in order. Null: none is left. */
  private synchronized Runnable nextToTell(boolean isFirst) {
    if (isFirst && isTelling) {
      return null;
    }
    String remark = untold.poll();
    isTelling = remark != null;
    Consumer<String> listener = remarkListener;
    return remark == null ? null : () -> listener.accept(remark);
  }

  /** Asks whether there is a checkpoint to restart from. Collective. */
  public CompletableFuture<HaveRestartReply> haveRestart() {
    return collective(Verb.HAVE_RESTART, null, call -> new CallRequest(run(), rank(), call),
        json -> JsonRecords.read(json, HaveRestartReply.class));
  }

  /** Begins to read the checkpoint that the run restarts from; empty if there is none. Collective. */
  public CompletableFuture<Optional<Phase>> restart() {
    return FutureSteps.then(haveRestart(), have -> have.available()
        ? FutureSteps.map(start(Verb.START_RESTART, call -> new CallRequest(run(), rank(), call)), Optional::of)
        : FutureSteps.of(Optional.empty()));
  }

  /**
   * Starts a dataset. Collective, with the same arguments on all ranks.
   *
   * @param name empty: the system names it after its id
   */
  public CompletableFuture<Phase> startOutput(Optional<String> name, DatasetFlags flags) {
    return start(Verb.START_OUTPUT, call -> new StartOutputRequest(run(), rank(), call, name, flags.bits()));
  }

  /** The name as it is. Outside of phases only; within one, {@link Phase#route} says where its files are. */
  public CompletableFuture<Path> route(String name) {
    synchronized (this) {
      if (ended) {
        return FutureSteps.of(Path.of(name));
      }
      if (phase != null) {
        return refuse(Verb.ROUTE, phase + " is open: route on the phase");
      }
      return routeNow(name);
    }
  }

  /**
   * Selects the checkpoint to restart from, instead of newer ones, until later ones are written. {@link #haveRestart}
   * offers it already in this run if the application has not restarted yet; an application that has restarted by itself
   * declares it so. Collective.
   */
  public CompletableFuture<Void> current(String name) {
    return named(Verb.CURRENT, name);
  }

  /** Has a dataset forgotten; its files in the prefix directory stay. Collective. */
  public CompletableFuture<Void> drop(String name) {
    return named(Verb.DROP, name);
  }

  /** Has a dataset forgotten and its files deleted, in the caches and in the prefix directory. Collective. */
  public CompletableFuture<Void> delete(String name) {
    return named(Verb.DELETE, name);
  }

  /** Whether a dataset is in the prefix directory, whole and durable, or on its way. Of this rank alone, any time. */
  public CompletableFuture<FlushReply> flushed(String name) {
    return flush(Verb.FLUSH_TEST, name);
  }

  /**
   * Waits until a dataset is in the prefix directory. Of this rank alone: no other rank need call.
   *
   * @return whether it is; false for one that stays in the caches. Fails if its flush was given up; not for one that is
   *     tried again, as on a full disk: {@link #flushed} tells
   */
  public CompletableFuture<Boolean> awaitFlush(String name) {
    return FutureSteps.then(flush(Verb.FLUSH_WAIT, name), reply -> reply.wanted() ? awaitFlush(name)
        : FutureSteps.of(reply.flushed()));
  }

  private synchronized CompletableFuture<FlushReply> flush(Verb verb, String name) {
    return ended ? refuse(verb, "the run has ended for it")
        : FutureSteps.map(sent(() -> transport.request(verb, JsonRecords.write(new FlushRequest(run(), rank(), name)))),
            json -> JsonRecords.read(json, FlushReply.class));
  }

  private CompletableFuture<Void> named(Verb verb, String name) {
    return collective(verb, null, call -> new NameRequest(run(), rank(), call, name), Session::done);
  }

  /**
   * Whether the program is to end, and why; the same for the n-th such call of every rank. Answered from memory,
   * without waiting for the others, also while a collective call is under way.
   */
  public CompletableFuture<ShouldExitReply> shouldExit() {
    return ask(Verb.SHOULD_EXIT, json -> JsonRecords.read(json, ShouldExitReply.class));
  }

  /** Whether a checkpoint should be written; otherwise as {@link #shouldExit}. Not within a restart. */
  public CompletableFuture<Boolean> needCheckpoint() {
    return ask(Verb.NEED_CHECKPOINT, json -> JsonRecords.read(json, NeedCheckpointReply.class).need());
  }

  private <T> CompletableFuture<T> ask(Verb verb, Function<Map<String, Object>, T> reply) {
    long number;
    CompletableFuture<Map<String, Object>> answer;
    synchronized (this) {
      Optional<String> obstacle = obstacle();
      if (obstacle.isPresent()) {
        return refuse(verb, obstacle.get());
      }
      if (!asking.add(verb)) {
        return refuse(verb, "it is under way already");
      }
      number = asked.getOrDefault(verb, 0L) + 1;
      answer = transport.request(verb, JsonRecords.write(new CallRequest(run(), rank(), number)));
    }
    return FutureSteps.peek(FutureSteps.map(answer, json -> reply.apply(hear(json))),
        (_, failure) -> asked(verb, number, failure));
  }

  /** A call that has failed keeps its number: it was not counted, or gets the same answer again. */
  private synchronized void asked(Verb verb, long number, Throwable failure) {
    asking.remove(verb);
    if (failure == null) {
      asked.put(verb, number);
    }
  }

  /** Takes the rank out of the run. Collective; the last call. */
  public CompletableFuture<Void> finish() {
    return collective(Verb.FINALIZE, null, call -> new CallRequest(run(), rank(), call), Session::done);
  }

  /**
   * Ends the run for all, because this rank cannot go on. Where another one, or a node, has ended within a second, all
   * are told that; else this cause.
   *
   * @param cause for people: one line, such as the type and text of an exception
   * @return when the run is over
   */
  public synchronized CompletableFuture<Void> abort(String cause) {
    return ended ? refuse(Verb.ABORT, "the run has ended for it")
        : FutureSteps.map(sent(() -> transport.request(
            Verb.ABORT, JsonRecords.write(new AbortRequest(run(), rank(), cause)))), Session::done);
  }

  private static Void done(Map<String, Object> answer) {
    JsonRecords.read(answer, DoneReply.class);
    return null;
  }

  CompletableFuture<Path> route(Phase of, String name) {
    synchronized (this) {
      if (phase != of || underWay != null) {
        return refuse(Verb.ROUTE, of + " is complete");
      }
      return routeNow(name);
    }
  }

  CompletableFuture<ShardReply> shard(Phase of, ShardRange range) {
    synchronized (this) {
      if (phase != of || underWay != null) {
        return refuse(Verb.SHARD, of + " is complete");
      }
      return FutureSteps.map(sent(() -> transport.request(Verb.SHARD, JsonRecords.write(new ShardRequest(run(), rank(),
              range.name(), workingDirectory, range.writer(), OptionalLong.of(range.offset()), range.bytes())))),
          json -> JsonRecords.read(json, ShardReply.class));
    }
  }

  CompletableFuture<CompleteReply> complete(Phase of, boolean valid) {
    CompletableFuture<CompleteReply> completed = collective(of.completeVerb(), of,
        call -> of.completeVerb() == Verb.COMPLETE_OUTPUT
            ? new CompleteOutputRequest(run(), rank(), call, valid, Optional.empty(), Optional.empty())
            : new CompleteRequest(run(), rank(), call, valid),
        json -> JsonRecords.read(json, CompleteReply.class));
    return FutureSteps.then(completed, reply -> reply.exit() ? leave(reply) : FutureSteps.of(reply));
  }

  /** Finalizes, then fails with HALTED: the run is configured not to ask the program. The dataset is complete. */
  private CompletableFuture<CompleteReply> leave(CompleteReply reply) {
    return FutureSteps.then(finish(), _ -> FutureSteps.failed(new ScrException(
        Fault.HALTED, "dataset " + reply.dataset() + " is complete and the run is to stop: "
        + reply.halt().orElse("") + "; rank " + rank() + " has finalized and is to exit (SCR_HALT_EXIT=1)")));
  }

  synchronized boolean isOpen(Phase of) {
    return phase == of && !ended;
  }

  private CompletableFuture<Phase> start(Verb verb, LongFunction<Record> request) {
    Verb completeVerb = verb == Verb.START_OUTPUT ? Verb.COMPLETE_OUTPUT : Verb.COMPLETE_RESTART;
    return collective(verb, null, request,
        json -> new Phase(this, completeVerb, JsonRecords.read(json, StartReply.class)));
  }

  private CompletableFuture<Path> routeNow(String name) {
    return FutureSteps.map(sent(() -> transport.request(Verb.ROUTE,
            JsonRecords.write(new RouteRequest(run(), rank(), name, workingDirectory)))),
        json -> Path.of(JsonRecords.read(json, RouteReply.class).file()));
  }

  /**
   * Sends a numbered call.
   *
   * @param needed the phase that must be open; null: none
   * @param request makes the message from the number
   * @param reply reads the answer
   */
  private <T> CompletableFuture<T> collective(
      Verb verb, Phase needed, LongFunction<Record> request, Function<Map<String, Object>, T> reply) {
    CompletableFuture<Map<String, Object>> answer;
    synchronized (this) {
      Optional<String> obstacle = obstacle();
      if (obstacle.isPresent()) {
        return refuse(verb, obstacle.get());
      }
      if (phase != needed) {
        return refuse(verb, phase == null ? needed + " is complete" : phase + " is open");
      }
      if (askAgain != null && askAgain != verb) {
        return refuse(verb, "the outcome of " + askAgain.wireName() + " is unknown: make that call again first");
      }
      Map<String, Object> body;
      try {
        body = JsonRecords.write(request.apply(nextCall));
      } catch (ScrException e) {                           // a field is out of range
        return FutureSteps.failed(e);
      }
      underWay = verb;
      answer = transport.request(verb, body);
    }
    return FutureSteps.peek(FutureSteps.map(answer, json -> reply.apply(hear(json))),
        (outcome, failure) -> answered(verb, outcome, failure));
  }

  private synchronized void answered(Verb verb, Object answer, Throwable failure) {
    underWay = null;
    Fault fault = failure == null ? null : failure instanceof ScrException known ? known.fault() : Fault.INTERNAL;
    if (fault == Fault.TIMEOUT) {
      askAgain = verb;
    }
    if (fault == null || !NOT_COUNTED.contains(fault)) {
      askAgain = null;
      nextCall++;
    }
    if (phase != null && (fault == null || !STILL_OPEN.contains(fault))) {
      phase = null;
    }
    if (answer instanceof Phase started) {
      phase = started;
    }
    ended = verb == Verb.FINALIZE && failure == null;
  }

  private <T> CompletableFuture<T> refuse(Verb verb, String why) {
    return FutureSteps.failed(new ScrException(Fault.WRONG_STATE,
        "rank " + rank() + ": " + verb.wireName() + " is not possible, " + why));
  }

  /** Why no call is possible now; empty: one may be. Under the lock. */
  private Optional<String> obstacle() {
    return ended ? Optional.of("the run has ended for it")
        : Optional.ofNullable(underWay).map(verb -> verb.wireName() + " is under way");
  }

  /** A message that refuses its fields fails the call, as everything else does. */
  private static <T> CompletableFuture<T> sent(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (ScrException e) {
      return FutureSteps.failed(e);
    }
  }
}
