package io.vertxscr.flow.flush;

import io.vertxscr.model.Fault;
import java.util.List;

/**
 * State machine of one dataset's flush at the leader. Pure.
 *
 * <pre>{@code
 *   Idle --Start--> Copying --Copied--> Publishing --Published--> Mapping --Mapped--> Sealing --Sealed--> Done
 *                    ^  ^ |                 |                        |                   |
 *                    |  | +-----------------+---------Failed---------+-------------------+
 *                    |  |                                 |
 *                    |  +-Tick-- Waiting <--can be helped-+--cannot be helped, or last attempt--> GaveUp
 *                    |                                    |                                         ^
 *                    +--Rebuilt-- Rebuilding <--cached copy is bad, and was not just rebuilt        |
 *                                     +--Failed: cannot be rebuilt----------------------------------+
 *
 *   GiveUp leads from every state but Done to GaveUp. A rebuild that fails for a passing reason leads to Waiting.
 * }</pre>
 *
 * <p>A new attempt restarts with the copies after any failure: each step is idempotent, nodes skip what is already
 * there, and the seal (summary, then index) is written last in every attempt. So nothing in the prefix directory says
 * "complete" before all else of the same attempt is durable.
 *
 * <p>An outcome names its attempt. That of an earlier one, or a doubled one, changes nothing: it speaks of files that
 * the present attempt may be writing over.
 */
public final class FlushFlow {
  /** Wait before the second attempt; doubles with each further one. */
  public static final long FIRST_DELAY_MS = 250;
  /** Longest wait between two attempts. */
  public static final long MAX_DELAY_MS = 30_000;

  private FlushFlow() {}

  /**
   * Limits of retries.
   *
   * @param maxAttempts attempts before it gives up, at least 1; 0 for as many as it takes
   */
  public record FlushOptions(int maxAttempts) {
    public static final FlushOptions UNLIMITED = new FlushOptions(0);

    public FlushOptions {
      if (maxAttempts < 0) {
        throw new IllegalArgumentException("maxAttempts is 0 (no limit) or more, not " + maxAttempts);
      }
    }

    private boolean exhausted(int attempt) {
      return maxAttempts != 0 && attempt >= maxAttempts;
    }
  }

  /** State of the flush. Attempts count from 1. */
  public sealed interface State {
    /** Nobody has asked for it yet. */
    record Idle() implements State {}

    /**
     * Nodes copy their files to drafts, with checksums.
     *
     * @param rebuilt whether what was bad in the caches has just been rebuilt: then it is not tried a second time
     */
    record Copying(int attempt, boolean rebuilt) implements State {
      public Copying(int attempt) {
        this(attempt, false);
      }
    }

    /**
     * A cached copy was found corrupt or missing, for this reason, and is rebuilt from the others. It is an attempt of
     * its own: a duplicate failure of the copies must not count as one of the rebuild.
     */
    record Rebuilding(int attempt, Fault fault, String message) implements State {}

    /** Nodes rename the drafts. */
    record Publishing(int attempt) implements State {}

    /** Nodes write the parts of the rank2file map. */
    record Mapping(int attempt) implements State {}

    /** The leader writes the root of the map, the summary, the index. */
    record Sealing(int attempt) implements State {}

    /** This attempt failed; after the delay comes the next. */
    record Waiting(int attempt, long delayMs) implements State {}

    /** It is in the prefix directory, whole and durable. */
    record Done() implements State {}

    /** It stays in the caches, if it is good there. */
    record GaveUp(Fault fault, String message) implements State {}
  }

  /** Input of the state machine. */
  public sealed interface FlushEvent {
    /** The dataset is wanted in the prefix directory. */
    record Start() implements FlushEvent {}

    /** All drafts of this attempt are durable. */
    record Copied(int attempt) implements FlushEvent {}

    /** All ranks' files are in some cache again, read against their checksums. */
    record Rebuilt(int attempt) implements FlushEvent {}

    /** All drafts of this attempt have their names, durably. */
    record Published(int attempt) implements FlushEvent {}

    /** All parts of the map are durable. */
    record Mapped(int attempt) implements FlushEvent {}

    /** Root of the map, summary and index are durable. */
    record Sealed(int attempt) implements FlushEvent {}

    /**
     * The step that this attempt was in has failed.
     *
     * @param retry whether another attempt may succeed; CORRUPT and TOO_MANY_LOST are not tried again even so, unless
     *     what the copies met can be rebuilt
     */
    record Failed(int attempt, Fault fault, String message, boolean retry) implements FlushEvent {
      public Failed {
        if (attempt < 1) {
          throw new IllegalArgumentException("attempts count from 1, not " + attempt);
        }
      }
    }

    /** The delay is over. It needs no attempt: there is one wait at a time, and a tick too many only shortens it. */
    record Tick() implements FlushEvent {}

    /** Nobody wants to wait any longer, and why. */
    record GiveUp(Fault fault, String message) implements FlushEvent {}
  }

  /** Actions to do next. Every effect but {@link Tell} is answered by an event. */
  public sealed interface Effect {
    /** Has every node end earlier attempts, whose drafts have the same names, and copy to drafts. */
    record CopyAll(int attempt) implements Effect {}

    /** Verify all cached files of the dataset, and rebuild corrupt or missing ones. */
    record Rebuild(int attempt) implements Effect {}

    /** Have every node rename its drafts. */
    record PublishAll(int attempt) implements Effect {}

    /** Have the nodes write the parts of the map. */
    record WriteMaps(int attempt) implements Effect {}

    /** Write root of the map, summary and index, in this order, each synced. */
    record Seal(int attempt) implements Effect {}

    /** Send a {@link FlushEvent.Tick} after this time. */
    record Wait(long delayMs) implements Effect {}

    /** Tell the waiting callers. Comes exactly once in the life of a flow. */
    record Tell(Outcome outcome) implements Effect {}
  }

  /** Outcome for waiting callers. */
  public sealed interface Outcome {
    /** It is in the prefix directory, whole and durable. */
    record Succeeded() implements Outcome {}

    /** It is not known to be there. A seal that was on its way when the flow gave up may still succeed. */
    record Failed(Fault fault, String message) implements Outcome {}
  }

  /** A state, and what to do on the way into it. */
  public record Next(State state, List<Effect> effects) {
    public Next {
      effects = List.copyOf(effects);
    }
  }

  /** Returns the transition of an event; late, duplicate or unexpected ones change nothing. */
  public static Next next(State state, FlushEvent event, FlushOptions options) {
    return switch (event) {
      case FlushEvent.Start _ when state instanceof State.Idle -> copy(new State.Copying(1));
      case FlushEvent.Tick _ when state instanceof State.Waiting(int attempt, _) ->
          copy(new State.Copying(attempt + 1));
      case FlushEvent.Rebuilt(int of) when state instanceof State.Rebuilding && of == running(state) ->
          copy(new State.Copying(of + 1, true));
      case FlushEvent.Copied(int of) when state instanceof State.Copying && of == running(state) ->
          to(new State.Publishing(of), new Effect.PublishAll(of));
      case FlushEvent.Published(int of) when state.equals(new State.Publishing(of)) ->
          to(new State.Mapping(of), new Effect.WriteMaps(of));
      case FlushEvent.Mapped(int of) when state.equals(new State.Mapping(of)) ->
          to(new State.Sealing(of), new Effect.Seal(of));
      case FlushEvent.Sealed(int of) when state.equals(new State.Sealing(of)) ->
          to(new State.Done(), new Effect.Tell(new Outcome.Succeeded()));
      case FlushEvent.Failed failed when failed.attempt() == running(state) -> failed(state, failed, options);
      case FlushEvent.GiveUp(Fault fault, String message) when !ended(state) -> gaveUp(fault, message);
      default -> to(state);
    };
  }

  private static Next copy(State.Copying state) {
    return to(state, new Effect.CopyAll(state.attempt()));
  }

  private static Next failed(State state, FlushEvent.Failed failed, FlushOptions options) {
    int attempt = failed.attempt();
    boolean useless = failed.fault() == Fault.CORRUPT || failed.fault() == Fault.TOO_MANY_LOST;
    if (state instanceof State.Rebuilding(_, Fault fault, String message) && (useless || !failed.retry())) {
      return gaveUp(fault, message + "; it cannot be rebuilt: " + failed.message());
    }
    boolean last = !failed.retry() || options.exhausted(attempt);
    if (state instanceof State.Copying(_, boolean rebuilt) && !rebuilt && !last
        && (useless || failed.fault() == Fault.NO_SUCH_FILE)) {
      return to(new State.Rebuilding(attempt + 1, failed.fault(), message(failed)), new Effect.Rebuild(attempt + 1));
    }
    if (useless || last) {
      return gaveUp(failed.fault(), message(failed));
    }
    long delayMs = delayMs(attempt);
    return to(new State.Waiting(attempt, delayMs), new Effect.Wait(delayMs));
  }

  private static String message(FlushEvent.Failed failed) {
    return "attempt " + failed.attempt() + ": " + failed.message();
  }

  private static Next gaveUp(Fault fault, String message) {
    return to(new State.GaveUp(fault, message), new Effect.Tell(new Outcome.Failed(fault, message)));
  }

  /** Returns the backoff after this many failed attempts. */
  static long delayMs(int failed) {
    int doublings = Math.min(failed - 1, 16);               // far beyond the cap, far below an overflow
    return Math.min(FIRST_DELAY_MS << doublings, MAX_DELAY_MS);
  }

  /** The attempt whose outcome is awaited, 0 for none. */
  private static int running(State state) {
    return switch (state) {
      case State.Copying(int attempt, _) -> attempt;
      case State.Rebuilding(int attempt, _, _) -> attempt;
      case State.Publishing(int attempt) -> attempt;
      case State.Mapping(int attempt) -> attempt;
      case State.Sealing(int attempt) -> attempt;
      case State.Idle _, State.Waiting _, State.Done _, State.GaveUp _ -> 0;
    };
  }

  /** Returns the state in a word or two, for status output. */
  public static String words(State state) {
    return switch (state) {
      case State.Idle _, State.Copying _ -> "copying";
      case State.Rebuilding _ -> "rebuilding";
      case State.Publishing _ -> "renaming";
      case State.Mapping _, State.Sealing _ -> "listing";
      case State.Waiting(_, long delayMs) -> "tried again after " + delayMs + " ms";
      case State.Done _, State.GaveUp _ -> "ended";
    };
  }

  /** Whether all drafts are there. */
  public static boolean isCopied(State state) {
    return state instanceof State.Publishing || state instanceof State.Mapping || state instanceof State.Sealing
        || state instanceof State.Done;
  }

  private static boolean ended(State state) {
    return state instanceof State.Done || state instanceof State.GaveUp;
  }

  private static Next to(State state, Effect... effects) {
    return new Next(state, List.of(effects));
  }
}
