package io.vertxscr.service.scrub;

import io.vertx.core.Future;
import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.node.scrub.PublishedView;
import io.vertxscr.protocol.node.scrub.PublishedView.PublishedDataset;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.scavenge.DatasetVerification.VerificationSteps;
import io.vertxscr.scavenge.Finding;
import io.vertxscr.scavenge.IndexVerification;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.restart.DatasetFlush;
import io.vertxscr.service.restart.Inventories;
import io.vertxscr.service.restart.OnlyCopies;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads published datasets in the background, on the leader. Each that an index lists is read within so many seconds,
 * or when somebody asks for it. What is damaged is marked as {@code scr index --verify} does, and flushed again where
 * the caches still hold all of it (docs/flows/scrub.md). On the loop of a node that leads, or may.
 */
public final class PublishedScrub {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedScrub.class);
  /** How often it is looked whether a phase is over. */
  private static final long YIELD_MS = 250;
  /** The longest rest: leaders, runs and prefix directories come and go. */
  private static final long MOST_REST_MS = 60_000;
  /** Of that, before one whose files cannot be read is read again: to an hour. */
  private static final int MOST_DOUBLINGS = 6;
  private static final long LEAST_REST_MS = 1000;
  private static final int LOOKS_OF_ROUND = 10;
  private static final int MOST_REMARKS = 3;
  private static final long NS_PER_MS = 1_000_000;
  private static final long MOST_REST_NS = MOST_REST_MS * NS_PER_MS;

  private final Loop loop;
  private final Membership membership;
  private final Prefixes prefixes;
  private final Inventories caches;
  private final Observer observer;
  private final PublishedPolicy policy;
  private final BooleanSupplier isPhase;
  private final DatasetFlush reflush;
  private final Throttle throttle;
  private final Map<ListedDataset, PublishedLook> looks = new TreeMap<>(
      Comparator.comparing(ListedDataset::prefix).thenComparing((ListedDataset one) -> one.dataset().id())
          .thenComparingLong(one -> one.dataset().createdUs()));
  private Optional<PublishedReading> reading = Optional.empty();
  private long timer;
  private boolean isBusy;
  private boolean stopped;

  /**
   * How published datasets are read.
   *
   * @param roundSeconds within which each is read; 0: never by itself
   * @param bytesPerSecond upper bound, at least 1
   */
  public record PublishedPolicy(int roundSeconds, long bytesPerSecond) {}

  private record ListedDataset(String prefix, DatasetKey dataset) {}

  /** What is known of one. Times are the loop's, but for the one that is told. */
  private static final class PublishedLook {
    private Index.Entry entry;
    private long dueMs;
    private OptionalLong lookedAtMs = OptionalLong.empty();
    private String problem = "";
    /** Why nobody knows whether it is whole, and at how many looks in a row. */
    private Optional<String> unread = Optional.empty();
    private int unreadLooks;

    private PublishedLook(Index.Entry entry, long dueMs) {
      this.entry = entry;
      this.dueMs = dueMs;
    }
  }

  /** One that is being read. */
  private static final class PublishedReading {
    private final ListedDataset which;
    private final Index.Entry entry;
    private final long sinceNs;
    private Optional<VerificationSteps> steps = Optional.empty();
    private long bytes;

    private PublishedReading(ListedDataset which, Index.Entry entry, long sinceNs) {
      this.which = which;
      this.entry = entry;
      this.sinceNs = sinceNs;
    }
  }

  /** Reads for a node, where it leads. @param isPhase whether an application waits here: it goes first */
  public PublishedScrub(Loop loop, Membership membership, Prefixes prefixes, Inventories caches, Observer observer,
      PublishedPolicy policy, BooleanSupplier isPhase, DatasetFlush reflush) {
    this.loop = loop;
    this.membership = membership;
    this.prefixes = prefixes;
    this.caches = caches;
    this.observer = observer;
    this.policy = policy;
    this.isPhase = isPhase;
    this.reflush = reflush;
    this.throttle = new Throttle(loop.nanoTime());
  }

  /** Begins to read, where that is wanted. */
  public void begin() {
    if (policy.roundSeconds() > 0) {
      rest(restMs());
    }
  }

  /** Reads no further. */
  public void stop() {
    stopped = true;
    if (timer != 0) {
      loop.cancel(timer);
      timer = 0;
    }
  }

  /** What was read, and what was found; everything is due at once if asked for. Answered when all indexes are read. */
  public Future<PublishedView> published(ScrubAsk ask) {
    return refresh().map(_ -> {
      if (ask.now()) {
        looks.values().forEach(look -> look.dueMs = Math.min(look.dueMs, nowMs()));
      }
      if (looks.values().stream().anyMatch(look -> look.dueMs <= nowMs())) {
        rest(1);
      }
      return view();
    });
  }

  /** What is damaged, or cannot be read, in sentences, the newest first. */
  public List<String> remarks() {
    List<String> damaged = looks.entrySet().stream().sorted(Comparator.comparing(one -> -one.getKey().dataset().id()))
        .flatMap(one -> trouble(one.getValue()).map(trouble -> "published dataset " + one.getKey().dataset().id()
            + " of " + one.getKey().prefix() + trouble).stream()).toList();
    return damaged.size() <= MOST_REMARKS ? damaged
        : Stream.concat(damaged.stream().limit(MOST_REMARKS - 1), Stream.of((damaged.size() - MOST_REMARKS + 1)
            + " more published datasets are damaged, or cannot be read: scr scrub --published names them")).toList();
  }

  private static Optional<String> trouble(PublishedLook look) {
    return look.problem.isEmpty() ? look.unread.map(why -> " cannot be verified: " + why)
        : Optional.of(" is damaged: " + look.problem);
  }

  private PublishedView view() {
    List<PublishedDataset> datasets = looks.entrySet().stream().map(one -> new PublishedDataset(one.getKey().prefix(),
        one.getKey().dataset().id(), one.getValue().entry.name(), one.getValue().entry.descriptor().totals().bytes(),
        one.getValue().lookedAtMs, one.getValue().dueMs <= nowMs(),
        one.getValue().problem)).limit(PublishedView.MOST_DATASETS).toList();
    return new PublishedView(membership.self().name(), policy.roundSeconds(), datasets);
  }

  private long nowMs() {
    return loop.nanoTime() / NS_PER_MS;
  }

  private long nextDueMs() {
    return policy.roundSeconds() == 0 ? Long.MAX_VALUE : nowMs() + policy.roundSeconds() * 1000L;
  }

  private long restMs() {
    return Math.clamp(policy.roundSeconds() * 1000L / LOOKS_OF_ROUND, LEAST_REST_MS, MOST_REST_MS);
  }

  private void rest(long delayMs) {
    if (timer != 0) {
      loop.cancel(timer);
      timer = 0;
    }
    if (!stopped && !isBusy) {
      timer = loop.after(delayMs, () -> {
        timer = 0;
        turn();
      });
    }
  }

  /** One step, then the next. */
  private void turn() {
    if (stopped || isBusy) {
      return;
    }
    if (!membership.isLeader()) {
      reading = Optional.empty();
      looks.clear();                                      // the leader's
      pause();
      return;
    }
    if (isPhase.getAsBoolean()) {
      rest(YIELD_MS);
      return;
    }
    throttle.rate(policy.bytesPerSecond(), loop.nanoTime());
    long delayNs = throttle.delayNs(loop.nanoTime());
    if (delayNs > 0) {
      rest(Math.ceilDiv(Math.min(delayNs, MOST_REST_NS), NS_PER_MS));
      return;
    }
    isBusy = true;
    Optional<PublishedReading> before = reading;
    (reading.isPresent() ? step(reading.get()) : refresh().map(_ -> {
      reading = next();
      return reading.isPresent();
    })).onComplete((goesOn, failure) -> {
      isBusy = false;
      if (failure != null) {
        before.ifPresentOrElse(now -> later(now, String.valueOf(failure.getMessage())), () ->
            LOG.info("published datasets are verified later: {}", failure.getMessage()));
        reading = Optional.empty();
      }
      if (failure == null ? goesOn : before.isPresent() && next().isPresent()) {
        rest(1);
      } else {
        pause();
      }
    });
  }

  /** Until something may be due, or what was damaged may be whole; forever, where nothing will be. */
  private void pause() {
    if (policy.roundSeconds() > 0) {
      rest(restMs());
    } else if (looks.values().stream().anyMatch(look -> look.dueMs != Long.MAX_VALUE || !look.problem.isEmpty())) {
      rest(MOST_REST_MS);
    }
  }

  private Optional<PublishedReading> next() {
    return looks.entrySet().stream().filter(one -> one.getValue().dueMs <= nowMs())
        .min(Comparator.comparingLong((Map.Entry<ListedDataset, PublishedLook> one) -> one.getValue().dueMs)
            .thenComparing(one -> -one.getKey().dataset().id()))
        .map(one -> new PublishedReading(one.getKey(), one.getValue().entry, loop.nanoTime()));
  }

  // ---- what there is ----

  /** Reads the indexes of all prefix directories that nodes know. One that cannot be read now keeps its datasets. */
  private Future<Void> refresh() {
    return caches.all().compose(all -> {
      Set<String> directories = new TreeSet<>();
      all.forEach(inventory -> directories.addAll(inventory.prefixes()));
      CacheSnapshot.of(all).copies().forEach(dataset -> directories.add(dataset.origin().prefix()));
      looks.keySet().removeIf(one -> !directories.contains(one.prefix()));
      return Future.join(directories.stream().map(this::refresh).toList()).<Void>mapEmpty().otherwiseEmpty();
    });
  }

  private Future<Void> refresh(String prefix) {
    return prefixes.named(prefix).compose(directory -> loop.prefix().ask(PrefixJobs.PATIENCE,
        "read the index of " + prefix, () -> directory.index().read().index())).map(index -> {
          List<Index.Entry> listed = index.entries().stream()
              .filter(entry -> entry.complete() && entry.replacedBy().isEmpty()).toList();
          Set<ListedDataset> there = new HashSet<>();
          for (Index.Entry entry : listed) {
            ListedDataset which = new ListedDataset(prefix, entry.descriptor().key());
            there.add(which);
            PublishedLook look = looks.computeIfAbsent(which, _ -> new PublishedLook(entry, nextDueMs()));
            look.entry = entry;
            boolean isMended = !look.problem.isEmpty() && entry.failed().isEmpty();
            boolean isMarkedByOthers = look.lookedAtMs.isEmpty() && entry.failed().isPresent();
            if (isMended || isMarkedByOthers) {
              look.dueMs = Math.min(look.dueMs, nowMs());
            }
          }
          looks.keySet().removeIf(one -> one.prefix().equals(prefix) && !there.contains(one));
          return null;
        });
  }

  // ---- one dataset ----

  private Future<Boolean> step(PublishedReading now) {
    String prefix = now.which.prefix();
    OpenPrefix directory = prefixes.open(prefix);
    return loop.prefix().runLong("verify dataset " + now.entry.id() + " of " + prefix, () -> {
      VerificationSteps steps = now.steps.isPresent() ? now.steps.get()
          : verification(directory, new ArrayList<>()).begin(now.entry);
      return new Stepped(steps, steps.isDone() ? 0 : steps.step());
    }).transform((stepped, failure) -> {
      if (failure != null) {
        return Fault.of(failure) == Fault.CORRUPT ? judged(now, Optional.of(failure.getMessage()))
            : Future.failedFuture(failure);
      }
      now.steps = Optional.of(stepped.steps());
      now.bytes += stepped.bytes();
      throttle.took(Math.max(1, stepped.bytes()));
      return stepped.steps().isDone() ? judged(now, Optional.empty()) : Future.succeededFuture(true);
    });
  }

  private record Stepped(VerificationSteps steps, long bytes) {}

  private enum Verdict {
    WHOLE, DAMAGED,
    /** Some file cannot be read now, and no other is bad. */
    LATER
  }

  /**
   * What was found; none where it is not listed any more, or was replaced meanwhile.
   *
   * @param problems each in a sentence; of LATER why one cannot be read
   */
  private record Judgement(Verdict verdict, List<String> problems, int badRanks) {
    static Judgement of(boolean whole, List<Finding> findings, int badRanks) {
      List<String> problems = findings.stream().filter(Finding.Defect.class::isInstance)
          .map(finding -> ((Finding.Defect) finding).sentence()).toList();
      List<String> unread = findings.stream().filter(Finding.Unread.class::isInstance)
          .map(finding -> ((Finding.Unread) finding).example()).toList();
      boolean later = !whole && problems.isEmpty() && !unread.isEmpty();
      return later ? new Judgement(Verdict.LATER, unread, badRanks)
          : new Judgement(whole ? Verdict.WHOLE : Verdict.DAMAGED, problems, badRanks);
    }

    String problem() {
      return verdict == Verdict.WHOLE ? "" : problems.isEmpty() ? "damaged"
          : problems.getFirst() + (problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)");
    }
  }

  private IndexVerification verification(OpenPrefix directory, List<Finding> findings) {
    PrefixPaths paths = directory.paths();
    return new IndexVerification(paths, directory.index(), loop.clock(), findings::add);
  }

  /** Sets or clears the mark, under the lock, if the index still lists what was read. */
  private Future<Boolean> judged(PublishedReading now, Optional<String> broken) {
    String prefix = now.which.prefix();
    return prefixes.locked().run("mark dataset " + now.entry.id() + " of " + prefix, () -> {
      OpenPrefix directory = prefixes.open(prefix);
      Optional<Index.Entry> listed = directory.index().read().index().find(now.entry.id())
          .filter(entry -> entry.descriptor().key().equals(now.which.dataset()) && entry.replacedBy().isEmpty());
      if (listed.isEmpty()) {
        return Optional.<Judgement>empty();
      }
      List<Finding> findings = new ArrayList<>();
      IndexVerification verification = verification(directory, findings);
      boolean whole = broken.isEmpty() && verification.end(listed.get(), now.steps.orElseThrow().verified());
      broken.ifPresent(why -> verification.end(listed.get(), why));
      return Optional.of(Judgement.of(
          whole, findings, now.steps.map(steps -> steps.verified().badRanks().size()).orElse(0)));
    }).compose(judgement -> {
      reading = Optional.empty();
      if (judgement.isEmpty()) {
        looks.remove(now.which);
        return Future.succeededFuture(true);
      }
      told(now, judgement.get());
      return judgement.get().verdict() == Verdict.DAMAGED ? again(now.which).map(true) : Future.succeededFuture(true);
    });
  }

  private void told(PublishedReading now, Judgement judgement) {
    PublishedLook look = looks.get(now.which);
    if (judgement.verdict() == Verdict.LATER) {
      later(now, judgement.problems().getFirst());
      return;
    }
    String problem = judgement.problem();
    if (look != null) {
      look.dueMs = nextDueMs();
      look.lookedAtMs = OptionalLong.of(loop.clock().millis());
      look.problem = problem;
      look.unread = Optional.empty();
      look.unreadLooks = 0;
    }
    observer.notice(new Event.PublishedVerified(now.entry.id(), now.which.prefix(), now.bytes, judgement.badRanks(),
        (loop.nanoTime() - now.sinceNs) / 1000));
    if (judgement.verdict() == Verdict.DAMAGED) {
      LOG.warn("dataset {} \"{}\" of {} is damaged: {}",
          now.entry.id(), now.entry.name(), now.which.prefix(), problem);
      observer.notice(new Event.PublishedDamaged(now.entry.id(), now.which.prefix(), problem));
    }
  }

  /** Nobody knows whether it is whole, or it is not known to be kept by the caches. */
  private void later(PublishedReading now, String why) {
    LOG.warn("dataset {} \"{}\" of {} is verified later: {}",
        now.entry.id(), now.entry.name(), now.which.prefix(), why);
    PublishedLook look = looks.get(now.which);
    if (look != null) {
      look.dueMs = nowMs() + (MOST_REST_MS << Math.min(look.unreadLooks++, MOST_DOUBLINGS));
      look.unread = Optional.of(why);
    }
  }

  /** Flushes it again if the caches hold it. They keep it as the only copy until that is done, however it ends. */
  private Future<Void> again(ListedDataset which) {
    Predicate<Inventory.Dataset> held = copy -> copy.key().equals(which.dataset())
        && copy.origin().prefix().equals(which.prefix()) && copy.flush() == FlushState.DONE;
    return caches.all().compose(all -> OnlyCopies.keep(caches, all, held).compose(_ -> caches.all())
        .onSuccess(now -> CacheSnapshot.of(all).copies(which.dataset()).filter(held).findFirst()
            .ifPresent(copy -> flushAgain(copy, now)))).mapEmpty();
  }

  /** Nobody waits for it: a flush may take long, and repeats itself. */
  private void flushAgain(Inventory.Dataset copy, List<Inventory> all) {
    int id = copy.descriptor().id();
    LOG.info("dataset {} is flushed again from the caches", id);
    reflush.flush(copy, all)
        .onFailure(failure -> LOG.warn("dataset {} cannot be flushed again: {}", id, failure.getMessage()));
  }
}
