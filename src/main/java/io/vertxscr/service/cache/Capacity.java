package io.vertxscr.service.cache;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertxscr.flow.gather.Part.RoomEstimate;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Limits;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.placement.Eviction.EvictionPlan;
import io.vertxscr.placement.Eviction.SpaceDemand;
import io.vertxscr.placement.Eviction;
import io.vertxscr.protocol.node.RunInfo;
import io.vertxscr.service.Event;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.Observer;
import io.vertxscr.service.redundancy.ProtectionJob;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.Presence;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks before a phase whether its dataset will fit into its store on this node. The estimate is the size of the last
 * dataset of the same store and scheme, with its redundancy, also where that is still to come; 0 without one. Free is
 * what both the store's SIZE and its file system have left, divided among the nodes that share the device. Once the
 * files are there, their sizes and that of their redundancy are known, and {@link #requirement} says what nothing was
 * expected of before. On the node's loop.
 */
public final class Capacity {
  private static final Logger LOG = LoggerFactory.getLogger(Capacity.class);
  private static final int ROOM_POLL_MS = 200;
  /** The part of what was written that is left free, at most, where a write has failed for lack of room. */
  private static final int HARDLY = 16;

  private final Loop loop;
  private final Membership membership;
  private final DatasetStore store;
  private final CacheEvictor keeper;
  private final Observer observer;

  /** Measures for a node. */
  public Capacity(Loop loop, Membership membership, DatasetStore store, CacheEvictor keeper, Observer observer) {
    this.loop = loop;
    this.observer = observer;
    this.membership = membership;
    this.store = store;
    this.keeper = keeper;
  }

  /**
   * Whether the next dataset will fit. If pending flushes block it, or the last dataset is on its way to stable
   * storage, waits for them, {@link Limits#MAX_ROOM_WAIT_MS} at most, with an event. What the restart has passed over
   * goes then, although it was to be flushed. Does not fail.
   *
   * @param over whether the answer is obsolete
   */
  public Future<RoomEstimate> awaitRoom(RunInfo run, RunCache cache, CheckpointDescriptor how, BooleanSupplier over) {
    return room(run, cache, how, false).compose(room -> {
      boolean syncs = waitsForSync(room, cache);
      if (!syncs && (room.refusal().isEmpty() || run.policy().cache().bypassWhenFull() || !flushing(cache, how))) {
        return Future.succeededFuture(room);
      }
      observer.notice(new Event.PhaseHeldUp(run.run(), !room.refusal().isEmpty() && flushing(cache, how)
          ? "the next dataset waits for a flush: " + room.refusal()
          : "the next dataset needs the room of older ones, which stay until the last one is on stable storage"));
      return again(new Waiting(run, cache, how, over), Limits.MAX_ROOM_WAIT_MS / ROOM_POLL_MS);
    });
  }

  private record Waiting(RunInfo run, RunCache cache, CheckpointDescriptor how, BooleanSupplier over) {}

  private Future<RoomEstimate> again(Waiting waiting, int looks) {
    Promise<Void> pause = loop.promise();
    loop.after(ROOM_POLL_MS, pause::complete);
    return pause.future().compose(_ -> room(waiting.run, waiting.cache, waiting.how, looks <= 1)).compose(room ->
        looks <= 1 || waiting.over.getAsBoolean() || !waitsForSync(room, waiting.cache)
            && (room.refusal().isEmpty() || !flushing(waiting.cache, waiting.how))
            ? Future.succeededFuture(room) : again(waiting, looks - 1));
  }

  /** What would go now may be the last that a loss of power leaves. */
  private static boolean waitsForSync(RoomEstimate room, RunCache cache) {
    return cache.isSyncing() && !(room.refusal().isEmpty() && room.evict().isEmpty());
  }

  private boolean flushing(RunCache cache, CheckpointDescriptor how) {
    return keeper.cached(cache).stream()
        .anyMatch(held -> held.store().equals(how.storeBase()) && held.flush() == FlushState.WANTED);
  }

  /**
   * Whether the next dataset of this descriptor will fit; does not fail. No file is touched where nothing is expected.
   *
   * @param waited whether pending flushes have had their time
   */
  Future<RoomEstimate> room(RunInfo run, RunCache cache, CheckpointDescriptor how, boolean waited) {
    return Future.succeededFuture().compose(_ -> measure(run, cache, how, waited)).otherwise(failure ->
        new RoomEstimate(List.of(), "store " + how.storeBase() + " cannot be used: " + failure.getMessage()));
  }

  private Future<RoomEstimate> measure(RunInfo run, RunCache cache, CheckpointDescriptor how, boolean waited) {
    StoreDescriptor target = run.policy().descriptors().store(how.storeBase());
    if (target.mkdir()) {
      return fits(run, cache, how, target, waited);
    }
    return loop.blocking("look for " + target.base(), () -> Presence.follow(loop.files().path(target.base())))
        .map(there -> there.filter(BasicFileAttributes::isDirectory).isPresent())
        .compose(isThere -> isThere ? fits(run, cache, how, target, waited)
            : Future.succeededFuture(new RoomEstimate(
                List.of(), "store " + target.base() + " is not there, and with MKDIR=0 it is not made")));
  }

  private Future<RoomEstimate> fits(
      RunInfo run, RunCache cache, CheckpointDescriptor how, StoreDescriptor target, boolean waited) {
    List<DatasetRecord> alike = store.list().stream().filter(record -> record.cache().base().equals(how.storeBase())
        && record.redundancy().how().redundancy().equals(how.redundancy())).toList();
    long known = alike.isEmpty() ? 0 : whole(run, how, alike.getLast());
    long needed = run.policy().cache().bypassWhenFull() ? Math.max(known, cache.refusedBytes(target.base())) : known;
    boolean exact = run.policy().cache().evictFirst();
    if (needed == 0 && !exact) {
      return Future.succeededFuture(RoomEstimate.ENOUGH);
    }
    int sharing = sharing(run, target);
    return loop.blocking("room in " + target.base(), () -> {
      long free = free(target, sharing);
      if (free < needed || exact) {                       // what was thrown away takes room, too
        store.reclaim(target.base());
        free = free(target, sharing);
      }
      return new Need(needed, free, whole(target, sharing) / 2 < needed, exact, waited);
    }).map(need -> need.free() >= needed && !exact ? RoomEstimate.ENOUGH : evicting(run, cache, how, target, need));
  }

  /** Bytes of a dataset, with those of its redundancy that are still to come, as behind a restart. */
  private long whole(RunInfo run, CheckpointDescriptor how, DatasetRecord held) {
    long bytes = store.bytes(held.descriptor().id());
    return held.scheme() == Scheme.SINGLE || held.ranks().stream().noneMatch(rank -> rank.redundancy().isEmpty())
        ? bytes : bytes + sets(run, how).expectedBytes(held);
  }

  private static ProtectionJob.Sets sets(RunInfo run, CheckpointDescriptor how) {
    return ProtectionJob.Sets.of(run.map(), how, run.policy().descriptors().groups());
  }

  /**
   * Space needed by a dataset.
   *
   * @param single whether the store, if nobody else used it, would have room for one such dataset and not for two
   * @param exact whether at most the store's count of datasets may exist together with it
   * @param waited whether pending flushes have had their time
   */
  private record Need(long bytes, long free, boolean single, boolean exact, boolean waited) {}

  /**
   * The space for redundancy, to be checked before it is computed. In the file system, and of the store's SIZE with the
   * files. What is beside them in the store is not held against SIZE: it may be what they replace. Nor is what other
   * nodes on the device need, which may be there already; for that the file system has the last word.
   */
  public Requirement requirement(RunInfo run, RunCache cache, CheckpointDescriptor how) {
    StoreDescriptor target = run.policy().descriptors().store(how.storeBase());
    return new Requirement(cache, target, target.sizeBytes().isPresent()
        ? OptionalLong.of(target.sizeBytes().getAsLong() / sharing(run, target)) : OptionalLong.empty());
  }

  /** What a store must have for a dataset whose files are there. Any thread. */
  public final class Requirement {
    private final RunCache cache;
    private final StoreDescriptor target;
    private final OptionalLong share;

    private Requirement(RunCache cache, StoreDescriptor target, OptionalLong share) {
      this.cache = cache;
      this.target = target;
      this.share = share;
    }

    /**
     * Looks for the space after ranks have called their files not valid. Blocking.
     *
     * @param written bytes of the files, as far as they are there
     * @return a sentence with the store, if hardly anything is free there
     */
    public Optional<String> lacked(long written) {
      long free = store.freeBytes(target.base());
      if (free > written / HARDLY) {
        return Optional.empty();
      }
      store.reclaim(target.base());
      long left = store.freeBytes(target.base());
      if (left <= written / HARDLY) {
        cache.refused(target.base(), written + left + 1);
      }
      return Optional.of("store " + target.base() + " is full: it has " + written + " bytes of the dataset on this"
          + " node, and free are " + free + ". Use a larger store, SCR_CACHE_FULL=BYPASS or SCR_CACHE_BYPASS=1");
    }

    /**
     * Looks for the space. Blocking.
     *
     * @throws ScrException NO_SPACE, naming the store and the missing bytes
     */
    public void check(long fileBytes, long redundancyBytes) {
      String taken = "no room in store " + target.base() + ": the dataset has " + fileBytes
          + " bytes in files on this node, its redundancy takes " + redundancyBytes;
      if (share.isPresent() && fileBytes + redundancyBytes > share.getAsLong()) {
        cache.refused(target.base(), fileBytes + redundancyBytes);
        throw full(taken + ", and SIZE leaves " + share.getAsLong() + " to a node",
            fileBytes + redundancyBytes - share.getAsLong());
      }
      if (redundancyBytes == 0) {
        return;
      }
      if (store.freeBytes(target.base()) < redundancyBytes) {
        store.reclaim(target.base());
      }
      long free = store.freeBytes(target.base());
      if (free < redundancyBytes) {
        cache.refused(target.base(), fileBytes + redundancyBytes);
        throw full(taken + ", and free are " + free, redundancyBytes - free);
      }
    }
  }

  private static ScrException full(String why, long missingBytes) {
    return new ScrException(Fault.NO_SPACE, why + ": " + missingBytes
        + " bytes are missing, so it is discarded. Use a larger store, or SCR_CACHE_BYPASS=1");
  }

  private long free(StoreDescriptor target, int sharing) {
    long free = store.freeBytes(target.base()) / sharing;
    return target.sizeBytes().isEmpty() ? free
        : Math.min(free, target.sizeBytes().getAsLong() / sharing - store.bytes(target.base()));
  }

  /** What this node could have, if nobody else used the store. */
  private long whole(StoreDescriptor target, int sharing) {
    return target.sizeBytes().orElseGet(() -> store.wholeBytes(target.base())) / sharing;
  }

  private RoomEstimate evicting(
      RunInfo run, RunCache cache, CheckpointDescriptor how, StoreDescriptor target, Need need) {
    List<Eviction.Cached> held = keeper.cached(cache);
    int sets = sets(run, how).count();
    EvictionPlan plan = Eviction.early(held, new SpaceDemand(
        target.base(), new RedundancyDescriptor(how, sets).survives(run.map().size()), target.count(), need.single(),
        need.exact(), need.bytes() - need.free(), need.waited()));
    if (plan.tooMany() > 0) {
      return new RoomEstimate(List.of(), "no room in store " + target.base() + ": it is to have " + target.count()
          + " at most with the next dataset (SCR_CACHE_EVICT=EARLY), and has " + kept(target.base())
          + "; what is on its way to the prefix directory stays, until scr drop --unflushed deletes it");
    }
    if (plan.missingBytes() > 0) {
      return new RoomEstimate(List.of(), "no room in store " + target.base() + ": the dataset will take about "
          + need.bytes() + " bytes, free are " + Math.max(0, need.free()) + ", and " + plan.missingBytes()
          + " are missing even without what may be deleted. Kept there are datasets " + kept(target.base())
          + "; what is on its way to the prefix directory or the last that a restart could use stays"
          + ofOthers(held, target.base()) + ". Use a larger"
          + " store, SCR_CACHE_FULL=BYPASS or SCR_CACHE_BYPASS=1; or, with one dataset in the store,"
          + " SCR_CACHE_EVICT=EARLY, which has none there while the next one is written");
    }
    if (plan.lastGoes() && !need.exact()) {               // who has asked for it was told when the run began
      LOG.warn("store {} has room for one dataset only: datasets {} are deleted before the next one is written, and a"
          + " failure meanwhile leaves no checkpoint in the cache", target.base(), plan.evicted());
    }
    List<Integer> givenUp = Eviction.givenUp(held, plan);
    if (!givenUp.isEmpty()) {
      LOG.warn("store {} has no room left: datasets {}, newer than what the run restarted from, are deleted before the"
          + " nodes that hold the rest of them are back", target.base(), givenUp);
    }
    return new RoomEstimate(plan.evicted(), "");
  }

  /** What keeps the room, and can be flushed or deleted by people only. */
  private static String ofOthers(List<Eviction.Cached> held, String base) {
    List<Integer> ids = held.stream().filter(dataset -> dataset.isOnlyCopyOfOthers() && dataset.store().equals(base))
        .map(Eviction.Cached::id).toList();
    return ids.isEmpty() ? "" : ". Datasets " + ids + " are of other programs, or of runs of another size, and only"
        + " here: scr flush brings one to its prefix directory, scr drop deletes it";
  }

  private List<Integer> kept(String base) {
    return store.list().stream().filter(record -> record.cache().base().equals(base))
        .map(record -> record.descriptor().id()).toList();
  }

  /** Nodes of the run that write to the same device: those on this host, and those of the store's group. */
  private int sharing(RunInfo run, StoreDescriptor target) {
    GroupDescriptors groups = run.policy().descriptors().groups();
    String self = membership.self().name();
    String mine = groups.valueOf(target.group(), self);
    Set<String> here = membership.nodes().stream()
        .filter(node -> node.hostId().equals(membership.self().hostId())).map(NodeInfo::name)
        .collect(Collectors.toSet());
    return Math.toIntExact(Math.max(1, run.map().byNode().keySet().stream()
        .filter(node -> here.contains(node) || groups.valueOf(target.group(), node).equals(mine)).count()));
  }
}
