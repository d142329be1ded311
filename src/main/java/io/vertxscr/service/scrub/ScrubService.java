package io.vertxscr.service.scrub;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.flush.Throttle;
import io.vertxscr.flow.scrub.ScrubSchedule;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.HeldPart;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RankSeals;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.ScrubRequest;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.RankFailure;
import io.vertxscr.protocol.node.scrub.Mended;
import io.vertxscr.protocol.node.scrub.RepairRequest;
import io.vertxscr.protocol.node.scrub.PublishedView;
import io.vertxscr.protocol.node.scrub.ScrubAsk;
import io.vertxscr.protocol.node.scrub.ScrubView;
import io.vertxscr.redundancy.DatasetCheck;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.Observer;
import io.vertxscr.storage.DamagedParts.Damage;
import io.vertxscr.storage.DatasetStore;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all that this node holds within a set time, and has damage repaired (docs/flows/scrub.md). One dataset at a
 * time, one piece at a time, at the rate of {@link ScrubSchedule}, not while ranks of this node wait for its disks. On
 * the node's loop.
 *
 * <pre>
 *   idle --a dataset--> reading --piece--> reading --all read--> idle
 *                          |  ^
 *                        damage: marked, told ... repair at the leader, beside; again later where it failed
 * </pre>
 */
public final class ScrubService {
  private static final Logger LOG = LoggerFactory.getLogger(ScrubService.class);
  /** After the start of a daemon others have more to do. */
  private static final long FIRST_MS = 10_000;
  /** A tenth of the round at most. */
  private static final long FIRST_MS_OF_A_SECOND = 100;
  /** How often it is looked whether a phase is over. */
  private static final long YIELD_MS = 250;
  /** The longest rest between two pieces: datasets come and go meanwhile, and the rate with them. */
  private static final long MOST_REST_MS = 30_000;
  /** What a look costs at least, as bytes: else who holds none, or a few, looks again all the time. */
  private static final int LEAST_LOOK_BYTES = 4096;
  private static final long NS_PER_MS = 1_000_000;
  /** A failed repair is tried again so much later, where nobody has to do anything for it. */
  private static final long REPAIR_AGAIN_MS = 10_000;
  /** The same where a node would have to come back. */
  private static final long REPAIR_MUCH_LATER_MS = 600_000;

  /** Not told: what is repaired a moment later, or by the next leader. */
  private static final Set<Fault> PASSING = EnumSet.of(
      Fault.BUSY, Fault.NODE_LOST, Fault.NOT_LEADER, Fault.STOPPING, Fault.TIMEOUT);

  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final DatasetStore store;
  private final Observer observer;
  private final ScrubPolicy policy;
  private final BooleanSupplier isPhase;
  private final Throttle throttle;
  private final Map<DatasetKey, Look> looks = new LinkedHashMap<>();
  private final Set<DatasetKey> repairing = new HashSet<>();
  /** Timers of repairs that failed. */
  private final Map<DatasetKey, Long> retries = new HashMap<>();
  /** Damage that was told as not repairable, with the reason. */
  private final Map<Damage, Fault> told = new HashMap<>();
  private Optional<Reading> reading = Optional.empty();
  private long timer;
  private boolean isPieceRead;
  private boolean stopped;
  /** Since when phases are yielded to; empty while there is none. */
  private OptionalLong yieldsSinceNs = OptionalLong.empty();

  /**
   * How a node scrubs.
   *
   * @param roundSeconds within which everything is read; 0: never by itself
   * @param bytesPerSecond upper bound, at least 1
   */
  public record ScrubPolicy(int roundSeconds, long bytesPerSecond) {
    /** Of a node that scrubs only when it is told to: so long that nothing becomes due. */
    private static final long NEVER_MS = Long.MAX_VALUE / 4;

    ScrubSchedule schedule() {
      return new ScrubSchedule(isOn() ? roundSeconds * 1000L : NEVER_MS, bytesPerSecond);
    }

    boolean isOn() {
      return roundSeconds > 0;
    }
  }

  /** What is known of a dataset here. Times of looks are the loop's, so that a clock may be set. */
  private static final class Look {
    private final DatasetKey dataset;
    private final String name;
    private long dueSinceMs;
    private OptionalLong lookedAtMs = OptionalLong.empty();
    private int found;
    private int repaired;

    Look(DatasetRecord record, long nowMs) {
      dataset = record.descriptor().key();
      name = record.descriptor().name();
      dueSinceMs = nowMs;
    }
  }

  private record RankPart(int rank, HeldPart part) {}

  /** What a job has read. */
  private record Piece(Optional<String> filemapProblem, int bytes) {}

  /** The look that is under way, and what it has found damaged. */
  private static final class Reading {
    private final Look look;
    private final DatasetCheck check;
    private final long startNs;
    private final int foundBefore;
    private final Set<RankPart> damaged = new HashSet<>();
    private boolean begun;
    private long readBytes;

    Reading(Look look, DatasetCheck check, long startNs) {
      this.look = look;
      this.check = check;
      this.startNs = startNs;
      this.foundBefore = look.found;
    }
  }

  /** @param isPhase whether ranks of this node wait for a restart, or write or read a dataset */
  public ScrubService(Loop loop, NodeBus bus, Membership membership, DatasetStore store, Observer observer,
      ScrubPolicy policy, BooleanSupplier isPhase) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.store = store;
    this.observer = observer;
    this.policy = policy;
    this.isPhase = isPhase;
    this.throttle = new Throttle(loop.nanoTime());
  }

  /** Begins to read, where that is wanted. */
  public void begin() {
    if (policy.isOn()) {
      refresh();                                          // what is here counts as looked at now
      rest(Math.min(FIRST_MS, policy.roundSeconds() * FIRST_MS_OF_A_SECOND));
    }
  }

  /** Reads no further. */
  public void stop() {
    stopped = true;
    rest(1);
  }

  /** The scrubs of all nodes, by node, and of published datasets; who cannot be asked is missing. */
  public Future<JsonObject> scrub(ScrubRequest request) {
    ScrubAsk ask = new ScrubAsk(request.now().orElse(false));
    Future<Optional<PublishedView>> published = bus.askLeader(NodeVerb.PUBLISHED,
        new ScrubAsk(request.published().orElse(false)), PublishedView.class).map(Optional::of)
        .otherwise(Optional.empty());
    List<Future<Optional<ScrubView>>> asked = membership.nodes().stream().map(NodeInfo::name).map(node ->
        bus.ask(node, NodeVerb.SCRUB, ask, ScrubView.class).map(Optional::of).otherwise(Optional.empty())).toList();
    return Future.all(asked).compose(_ -> published).map(ofLeader -> {
      JsonObject answer = new JsonObject().put("nodes", new JsonArray(
          asked.stream().flatMap(view -> view.result().stream()).map(Wire::write).toList()));
      ofLeader.ifPresent(view -> answer.put("published", Wire.write(view)));
      return answer;
    });
  }

  /** The scrub of this node; begins to read everything if asked to. */
  public Future<ScrubView> scrub(ScrubAsk ask) {
    if (ask.now() && !stopped) {
      refresh();
      long due = nowMs() - policy.schedule().roundMs() - 1;
      looks.values().forEach(look -> look.dueSinceMs = Math.min(look.dueSinceMs, due));
      told.clear();
      reading = Optional.empty();
      rest(1);
      store.list().forEach(record -> repair(record.descriptor().key()));
    }
    return Future.succeededFuture(view());
  }

  /** What is known of the looks at a dataset here; empty before it was noticed. */
  public Optional<ScrubView.ScrubbedDataset> of(DatasetRecord record) {
    return Optional.ofNullable(looks.get(record.descriptor().key())).map(look -> view(record, look));
  }

  private ScrubView view() {
    refresh();
    List<ScrubView.ScrubbedDataset> datasets =
        store.list().stream().flatMap(record -> of(record).stream()).toList();
    return new ScrubView(membership.self().name(), policy.roundSeconds(), policy.bytesPerSecond(), state(), datasets);
  }

  private String state() {
    List<ScrubSchedule.Due> due = due();
    boolean works = reading.isPresent() || policy.schedule().isLate(due, nowMs());
    return !works && !policy.isOn() ? "off" : yieldsSinceNs.isPresent() ? "yielding"
        : policy.schedule().isLate(due, nowMs()) ? "late" : reading.isPresent() ? "reading" : "idle";
  }

  private ScrubView.ScrubbedDataset view(DatasetRecord record, Look look) {
    long bytes = store.bytes(record.descriptor().id());
    return new ScrubView.ScrubbedDataset(record.descriptor().id(), look.name, look.lookedAtMs, bytes,
        reading.filter(now -> now.look == look).map(now -> left(look)).orElse(0L), look.found, look.repaired,
        store.damaged().of(record).stream().map(ScrubService::inWords).toList());
  }

  private static String inWords(Damage damage) {
    return (damage.part() == HeldPart.REDUNDANCY ? "redundancy of rank " : "files of rank ") + damage.rank() + ": "
        + damage.problem();
  }

  private long nowMs() {
    return loop.nanoTime() / NS_PER_MS;
  }

  /** Notices what has come and gone. */
  private void refresh() {
    Map<DatasetKey, DatasetRecord> here = new LinkedHashMap<>();
    store.list().forEach(record -> here.put(record.descriptor().key(), record));
    looks.keySet().retainAll(here.keySet());
    here.forEach((key, record) -> looks.computeIfAbsent(key, _ -> new Look(record, nowMs())));
    told.keySet().removeIf(damage -> !here.containsKey(damage.dataset()));
    retries.entrySet().removeIf(retry -> {
      boolean over = damages(retry.getKey()).isEmpty();
      if (over) {
        loop.cancel(retry.getValue());
      }
      return over;
    });
    reading = reading.filter(now -> looks.get(now.look.dataset) == now.look);
  }

  private List<ScrubSchedule.Due> due() {
    return looks.values().stream()
        .map(look -> new ScrubSchedule.Due(look.dataset, costLeft(look), look.dueSinceMs)).toList();
  }

  private long costLeft(Look look) {
    return Math.max(left(look), LEAST_LOOK_BYTES - done(look));
  }

  private long left(Look look) {
    return Math.max(0, store.bytes(look.dataset.id()) - done(look));
  }

  private long done(Look look) {
    return reading.filter(now -> now.look == look).map(now -> now.readBytes).orElse(0L);
  }

  /** Goes on after this delay, and not before. */
  private void rest(long delayMs) {
    forgetTimer();
    if (!stopped) {
      timer = loop.after(delayMs, () -> {
        timer = 0;
        turn();
      });
    }
  }

  private void forgetTimer() {
    if (timer != 0) {
      loop.cancel(timer);
      timer = 0;
    }
  }

  private void turn() {
    if (stopped || isPieceRead) {
      return;
    }
    forgetTimer();
    refresh();
    if (yields()) {
      rest(YIELD_MS);
      return;
    }
    List<ScrubSchedule.Due> due = due();
    ScrubSchedule schedule = policy.schedule();
    if (reading.isEmpty() && !policy.isOn() && !schedule.isLate(due, nowMs())) {
      return;                                             // what somebody has asked for is done
    }
    Optional<ScrubSchedule.Due> next = schedule.next(due);
    if (next.isEmpty()) {
      rest(MOST_REST_MS);
      return;
    }
    throttle.rate(
        schedule.bytesPerSecond(due, throttle.debtBytes(loop.nanoTime()), nowMs()), loop.nanoTime());
    long delayNs = throttle.delayNs(loop.nanoTime());
    if (delayNs > 0) {
      rest(Math.min(Math.ceilDiv(delayNs, NS_PER_MS), MOST_REST_MS));
    } else {
      if (reading.isEmpty()) {
        open(looks.get(next.get().dataset()));
      }
      reading.ifPresentOrElse(this::readPiece, () -> rest(MOST_REST_MS));
    }
  }

  /** Whether a phase goes first; for a bounded time, because an application may hang within one. */
  private boolean yields() {
    if (!isPhase.getAsBoolean()) {
      yieldsSinceNs = OptionalLong.empty();
      return false;
    }
    if (yieldsSinceNs.isEmpty()) {
      yieldsSinceNs = OptionalLong.of(loop.nanoTime());
    }
    return loop.nanoTime() - yieldsSinceNs.getAsLong() < Limits.MAX_FLUSH_YIELD_MS * NS_PER_MS;
  }

  private void open(Look look) {
    store.find(look.dataset.id()).ifPresent(record -> reading = Optional.of(new Reading(look,
        new DatasetCheck(record, store.directory(look.dataset.id())), loop.nanoTime())));
  }

  private void readPiece(Reading now) {
    isPieceRead = true;
    boolean first = !now.begun;
    now.begun = true;
    loop.quietly("scrub dataset " + now.look.dataset.id(), () -> new Piece(
        first ? store.mendFilemap(now.look.dataset) : Optional.empty(), now.check.read()))
        .onComplete((piece, failure) -> {
          isPieceRead = false;
          if (failure == null) {
            now.readBytes += piece.bytes;
            throttle.took(piece.bytes);
            piece.filemapProblem.ifPresent(problem -> filemapMended(now.look, problem));
            now.check.takeDeviations().forEach(finding -> found(now, finding));
          } else {
            LOG.info("dataset {} is scrubbed later: {}", now.look.dataset.id(), failure.getMessage());
            reading = reading.filter(other -> other != now);
            rest(MOST_REST_MS);
            return;
          }
          if (now.check.isDone() && reading.filter(other -> other == now).isPresent()) {
            done(now);
          }
          turn();
        });
  }

  private void filemapMended(Look look, String problem) {
    LOG.warn("dataset {}: {}; it is written again", look.dataset.id(), problem);
    look.found++;
    look.repaired++;
    observer.notice(new Event.DamageFound(look.dataset.id(), self(), 0, HeldPart.FILEMAP, problem));
    observer.notice(new Event.DamageRepaired(look.dataset.id(), self(), 0, HeldPart.FILEMAP, 0));
  }

  private String self() {
    return membership.self().name();
  }

  private void found(Reading now, DatasetCheck.Deviation finding) {
    DatasetKey key = now.look.dataset;
    RankRecord rank = finding.rank();
    if (find(key).flatMap(record -> record.rank(rank.files().rank())).filter(rank::isLike).isEmpty()) {
      return;                                             // it has been replaced since, or evicted
    }
    if (finding.learned().isPresent()) {
      learn(key, finding);
      return;
    }
    now.damaged.add(new RankPart(rank.files().rank(), finding.part()));
    boolean isNew = store.damaged().mark(key, rank, finding.part(), finding.problem(), finding.unread());
    if (isNew) {
      now.look.found++;
      LOG.warn("dataset {}, {} of rank {}: {}; counts as lost", key.id(), finding.part(), rank.files().rank(),
          finding.problem());
      observer.notice(new Event.DamageFound(
          key.id(), self(), rank.files().rank(), finding.part(), finding.problem()));
      unseal(key, rank);
    }
    if (isNew || !retries.containsKey(key)) {             // a round may be shorter than the pause after a failure
      repair(key);
    }
  }

  /** A daemon that starts again does not know of the damage: it is to read these files. */
  private void unseal(DatasetKey key, RankRecord damaged) {
    loop.quietly("unseal a rank of dataset " + key.id(), () -> {
      store.sealed(key, List.of(damaged.with(RankSeals.NONE)));
      return null;
    }).onFailure(e -> LOG.info("dataset {}: {}", key.id(), e.getMessage()));
  }

  /** From now on a change shows. */
  private void learn(DatasetKey key, DatasetCheck.Deviation finding) {
    int number = finding.rank().files().rank();
    loop.quietly("note a checksum of dataset " + key.id(), () -> {
      store.update(key, held -> held.rank(number).filter(finding.rank()::isLike).map(rank ->
          held.with(rank.with(rank.redundancy().orElseThrow(), finding.learned()))).orElse(held));
      return null;
    }).onFailure(e -> LOG.info("dataset {}: {}", key.id(), e.getMessage()));
  }

  private Optional<DatasetRecord> find(DatasetKey key) {
    return store.find(key.id()).filter(record -> record.descriptor().key().equals(key));
  }

  private List<Damage> damages(DatasetKey key) {
    return find(key).map(store.damaged()::of).orElse(List.of());
  }

  private void done(Reading now) {
    reading = Optional.empty();
    throttle.took(Math.max(0, LEAST_LOOK_BYTES - now.readBytes));
    Look look = now.look;
    look.dueSinceMs = nowMs();
    look.lookedAtMs = OptionalLong.of(loop.clock().millis());
    damages(look.dataset).stream()
        .filter(damage -> !now.damaged.contains(new RankPart(damage.rank(), damage.part())))
        .forEach(damage -> {                              // an error of the disk that has passed
          store.damaged().clear(look.dataset, damage.rank(), damage.part());
          repaired(damage, 0);
        });
    observer.notice(new Event.ScrubDone(look.dataset.id(), self(), now.readBytes,
        look.found - now.foundBefore, (loop.nanoTime() - now.startNs) / 1000));
  }

  private void repaired(Damage damage, long repairUs) {
    told.remove(damage);
    Optional.ofNullable(looks.get(damage.dataset())).ifPresent(look -> look.repaired++);
    LOG.info("dataset {}, {} of rank {}: repaired", damage.dataset().id(), damage.part(), damage.rank());
    observer.notice(new Event.DamageRepaired(
        damage.dataset().id(), self(), damage.rank(), damage.part(), repairUs));
  }

  /** Asks the leader to repair what is damaged in a dataset, unless it has been asked already. */
  private void repair(DatasetKey key) {
    List<Damage> damages = damages(key);
    if (stopped || damages.isEmpty() || repairing.contains(key)) {
      return;
    }
    if (yields()) {
      repairAgain(key, YIELD_MS);
      return;
    }
    repairing.add(key);
    Optional.ofNullable(retries.remove(key)).ifPresent(loop::cancel);
    long startNs = loop.nanoTime();
    RepairRequest request = new RepairRequest(self(), key, damages.stream()
        .filter(damage -> damage.part() == HeldPart.REDUNDANCY).map(Damage::rank).toList(),
        damages.stream().allMatch(told::containsKey));
    bus.askLeader(NodeVerb.REPAIR, request, Mended.class).onComplete((mended, failure) -> {
      repairing.remove(key);
      ended(key, damages, mended, failure, (loop.nanoTime() - startNs) / 1000);
    });
  }

  private void ended(DatasetKey key, List<Damage> damages, Mended mended, Throwable failure, long repairUs) {
    boolean soon = false;
    boolean later = false;
    for (Damage damage : damages) {
      Optional<RankFailure> why = failure == null ? failureOf(damage, mended) : Optional.of(new RankFailure(
          damage.rank(), Fault.of(failure).number(), String.valueOf(failure.getMessage())));
      if (why.isEmpty()) {
        repaired(damage, repairUs);
      } else if (find(key).isPresent()) {
        Fault fault = Fault.of(why.get().fault());
        soon |= fault.retry() || fault == Fault.NODE_LOST;
        later = true;
        tellStays(damage, fault, why.get().message());
      }
    }
    if (!Set.copyOf(damages).containsAll(damages(key))) {
      repair(key);                                        // found meanwhile
    } else if (later) {
      repairAgain(key, soon ? REPAIR_AGAIN_MS : REPAIR_MUCH_LATER_MS);
    }
  }

  private static Optional<RankFailure> failureOf(Damage damage, Mended mended) {
    List<RankFailure> failed = damage.part() == HeldPart.REDUNDANCY ? mended.redundancy() : mended.files();
    return failed.stream().filter(failure -> failure.rank() == damage.rank()).findFirst();
  }

  /** Once for each reason; not while it only waits for its turn. */
  private void tellStays(Damage damage, Fault fault, String why) {
    if (!PASSING.contains(fault) && told.put(damage, fault) != fault) {
      LOG.warn("dataset {}, {} of rank {} stays damaged: {}", damage.dataset().id(), damage.part(), damage.rank(), why);
      observer.notice(new Event.DamageStays(
          damage.dataset().id(), self(), damage.rank(), damage.part(), fault, why));
    }
  }

  private void repairAgain(DatasetKey key, long delayMs) {
    Optional.ofNullable(retries.remove(key)).ifPresent(loop::cancel);
    retries.put(key, loop.after(delayMs, () -> {
      retries.remove(key);
      repair(key);
    }));
  }
}
