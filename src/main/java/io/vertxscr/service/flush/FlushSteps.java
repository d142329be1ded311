package io.vertxscr.service.flush;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.CacheSnapshot;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapWriter;
import io.vertxscr.prefix.publish.LeftoverSweep;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.DraftsRenamed;
import io.vertxscr.protocol.node.flush.FlushStateChange;
import io.vertxscr.protocol.node.flush.FlushWork;
import io.vertxscr.protocol.node.flush.FlushWorked;
import io.vertxscr.protocol.node.flush.MapPartRequest;
import io.vertxscr.protocol.node.flush.MapPartWritten;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.service.LockedJobs;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.PrefixJobs;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.container.ContainerSteps.ContainerContent;
import io.vertxscr.service.container.ContainerSteps;
import io.vertxscr.service.restart.OnlyCopies;
import io.vertxscr.storage.Presence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leader half of the steps of a flush. On the node's loop. */
public final class FlushSteps {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSteps.class);

  private final Loop loop;
  private final NodeBus bus;
  private final Prefixes prefixes;
  private final LockedJobs locked;
  private final ContainerSteps containers;
  private final PlaceOwners owners;
  private final FlushShares shares;
  private final PrefixRetention retention;
  private final OnlyCopies onlyCopies;
  private final PrefixTurns turns;
  private final PrefixTokens tokens;
  private final Map<Integer, FlushAttempt> attempts = new HashMap<>();

  /** Who knows of the other datasets that a flush meets in a prefix directory. */
  public record Others(PlaceOwners owners, PrefixRetention retention, OnlyCopies onlyCopies) {}

  /** Works for the leader of a node. */
  public FlushSteps(Loop loop, NodeBus bus, Prefixes prefixes, ContainerSteps containers, Others others,
      FlushShares shares, PrefixAccess access) {
    this.owners = others.owners();
    this.retention = others.retention();
    this.onlyCopies = others.onlyCopies();
    this.turns = access.turns();
    this.tokens = access.tokens();
    this.shares = shares;
    this.loop = loop;
    this.bus = bus;
    this.prefixes = prefixes;
    this.locked = prefixes.locked();
    this.containers = containers;
  }

  /**
   * The node that has the files of each rank of a dataset; empty if no node has those of some rank.
   *
   * @param good where those of each rank have just been read and found good, if they have: another copy may be bad
   */
  static Optional<List<String>> holders(Inventory.Dataset dataset, List<Inventory> all, Optional<RankMap> good) {
    String[] holders = new String[dataset.origin().ranks()];
    int found = 0;
    for (Inventory inventory : all) {
      for (Inventory.Dataset other : inventory.datasets()) {
        for (Inventory.Held held : other.sameAs(dataset) ? other.ranks() : List.<Inventory.Held>of()) {
          int rank = held.rank();
          found += held.files() && holders[rank] == null ? 1 : 0;
          boolean better = good.filter(map -> map.nodeOf(rank).equals(holders[rank])).isPresent();
          holders[rank] = held.files() && !better ? inventory.node() : holders[rank];
        }
      }
    }
    return found == holders.length ? Optional.of(List.of(holders)) : Optional.empty();
  }

  /** Why a flush would be of no use, in words; empty where it would be of some. */
  Future<Optional<String>> useless(Inventory.Dataset dataset, List<Inventory> all) {
    return later(dataset, all).compose(later -> later.isPresent() ? Future.succeededFuture(later.map(newer ->
            "dataset " + newer.id() + " \"" + newer.name() + "\", which is newer, has its names there; once scr index"
                + " --drop " + newer.name() + " has taken that out of the index, it can"))
        : retention.beyond(dataset.origin().prefix(), dataset.descriptor()).map(keep -> keep.isEmpty()
            ? Optional.empty() : Optional.of("SCR_PREFIX_SIZE=" + keep.getAsInt()
                + " keeps newer ones there, and it would be deleted at once")));
  }

  private Future<Optional<DatasetDescriptor>> later(Inventory.Dataset dataset, List<Inventory> all) {
    Map<String, List<Integer>> ranks = new HashMap<>();
    CacheSnapshot.of(all).holders(dataset.key()).forEach(inventory -> ranks.put(inventory.node(), inventory.datasets()
        .stream().filter(dataset::sameAs).flatMap(here -> here.ranks().stream()).filter(Inventory.Held::files)
        .map(Inventory.Held::rank).toList()));
    return prefixes.named(dataset.origin().prefix()).compose(directory -> owners.later(dataset.descriptor(),
        directory.paths(), directory.publication(), ranks, FlushAttempt.form(dataset.origin().flush())));
  }

  /** All nodes copy their files to drafts. @param good as of {@link #holders} */
  Future<Void> copy(Inventory.Dataset dataset, int number, List<Inventory> all, Optional<RankMap> good) {
    int id = dataset.descriptor().id();
    List<String> holders = holders(dataset, all, good).orElseThrow(() -> new ScrException(Fault.TOO_MANY_LOST,
        "the files of some rank of dataset " + id + " are in no cache now"));
    return prefixes.named(dataset.origin().prefix())
        .compose(directory -> copy(dataset, holders, directory, number, all));
  }

  private Future<Void> copy(Inventory.Dataset dataset, List<String> holders, OpenPrefix directory, int number,
      List<Inventory> all) {
    int id = dataset.descriptor().id();
    String prefix = dataset.origin().prefix();
    PrefixPaths paths = directory.paths();
    boolean used = shares.isUsed(
        prefix, all.stream().anyMatch(inventory -> inventory.prefixes().contains(prefix)));
    return loop.prefix().<Void>run("look at " + paths.prefix(), () -> {
      if (used || PrefixDirectories.isBare(paths)) {
        requireMounted(directory);
      }
      return null;
    }).compose(_ -> tokens.hold(prefix)).compose(token ->
        note(directory, dataset.descriptor(), Set.of(Location.CACHE, Location.FLUSHING)).map(token)
    ).onSuccess(_ -> shares.used(prefix)                  // the token is a trace
    ).compose(token -> locked.run("prepare the flush of dataset " + id + " in " + paths.prefix(), () -> {
      boolean again = Presence.exists(paths.dataset(id));    // who has been here may have given names, too
      return new Prepared(token, again, directory.as(token).publication().prepare(dataset.descriptor()),
          isListed(directory, dataset.descriptor()), fileSystem(paths.prefix()));
    })).compose(prepared -> {
      FlushAttempt plain = new FlushAttempt(
          dataset.descriptor(), directory, holders, prepared.complete(), dataset.origin().flush(), Optional.empty(),
          new FlushAttempt.Course(prepared.again(), prepared.again()));
      plain.course().listed = prepared.listed();
      plain.course().copies = CacheSnapshot.of(all).holders(dataset.key()).stream().map(Inventory::node)
          .collect(Collectors.toSet());
      attempts.put(id, plain);
      return prepared.complete() ? Future.succeededFuture()
          : plan(plain, number, prepared.token())
              .compose(attempt -> copy(attempt, number, prepared.fileSystem()));
    }).recover(failure -> tokens.failed(prefix, failure));
  }

  /** Of earlier runs. */
  private record Traces(boolean datasets, boolean any) {}

  /** A run is about to begin there; if the directory is unreadable, the nodes' memory counts. */
  Future<Void> begun(String prefix) {
    OpenPrefix directory = prefixes.open(prefix);
    return loop.prefix().ask(PrefixJobs.PATIENCE_AT_BEGIN, "look for datasets in " + prefix, () -> {
      boolean any = directory.publication().hasAny();
      return new Traces(any, any || Files.isDirectory(directory.paths().scr()));
    }).onSuccess(traces -> shares.begun(prefix, traces.datasets())).compose(traces ->
        traces.any() ? tokens.begin(prefix) : Future.<Void>succeededFuture()).otherwiseEmpty();
  }

  /** Requires traces of earlier flushes, which an empty mount point does not have. */
  private static void requireMounted(OpenPrefix directory) {
    if (!directory.publication().hasAny()) {
      PrefixPaths paths = directory.paths();
      throw new ScrException(Fault.IO, "the prefix directory " + paths.prefix() + " has no trace of the runs and "
          + "datasets that were there: is it mounted? If it was emptied, make a file " + paths.index()
          + " or begin another run");
    }
  }

  private Future<FlushAttempt> plan(FlushAttempt attempt, int number, PrefixToken token) {
    return attempt.flush().containers()
        .map(size -> new ContainerContent(
            attempt.descriptor(), attempt.directory(), token, size, attempt.byNode()))
        .map(packed -> containers.plan(packed, number).map(plan -> attempt.with(packed, plan)))
        .orElseGet(() -> Future.succeededFuture(attempt));
  }

  private Future<Void> copy(FlushAttempt attempt, int number, String fileSystem) {
    int id = attempt.descriptor().id();
    attempts.put(id, attempt);
    Map<String, Integer> ranksByNode = new HashMap<>();
    attempt.byNode().forEach((node, ranks) -> ranksByNode.put(node, ranks.size()));
    shares.begin(attempt.descriptor(), number, attempt.prefix(), fileSystem, ranksByNode);
    Future<List<FlushWorked>> copies = attempt.containers()
        .map(there -> containers.aggregate(there.packed(), number, there.plan(), isInBackground(attempt)))
        .orElseGet(() -> onHolders(attempt, number, Optional.empty(), NodeVerb.FLUSH_COPY, FlushWorked.class));
    return copies.recover(FlushSteps::isMissing).<Void>map(worked -> {
      attempt.course().entryBytes = worked.stream().mapToLong(FlushWorked::mapBytes).sum();
      return null;
    }).onComplete((_, failure) -> shares.end(id, failure == null));
  }

  /** State before an attempt: an earlier attempt, completeness of the dataset, and its file system. */
  private record Prepared(PrefixToken token, boolean again, boolean complete, boolean listed, String fileSystem) {}

  private static boolean isListed(OpenPrefix directory, DatasetDescriptor dataset) {
    return directory.index().read().index().find(dataset.id()).map(Index.Entry::descriptor)
        .filter(dataset::sameAs).isPresent();
  }

  /** Whether somebody has removed a dataset, and nobody has listed it again. Nodes that were away may have it still. */
  Future<Boolean> isRemoved(Inventory.Dataset dataset) {
    DatasetDescriptor descriptor = dataset.descriptor();
    return prefixes.named(dataset.origin().prefix()).compose(directory -> loop.prefix().run(
        "look whether dataset " + descriptor.id() + " was removed from " + dataset.origin().prefix(), () ->
            directory.restartFile().read().isRemoved(descriptor.key()) && !isListed(directory, descriptor)));
  }

  private static String fileSystem(Path prefix) {
    try {
      return "device " + Files.getAttribute(prefix, "unix:dev");
    } catch (IOException | UnsupportedOperationException _) {
      return prefix.toString();
    }
  }

  private <T> Future<List<T>> onHolders(FlushAttempt attempt, int number, Optional<PrefixToken> token, NodeVerb verb,
      Class<T> answer) {
    List<Future<T>> asked = new ArrayList<>();
    attempt.byNode().forEach((node, ranks) -> asked.add(
        bus.command(node, verb,
            new FlushWork(attempt.descriptor().id(), number, ranks, attempt.flush().compression(),
                isInBackground(attempt), token), answer)));
    return Future.join(asked).map(_ -> asked.stream().map(Future::result).toList());
  }

  /** One node has none of it any more: it began anew meanwhile. Another one may have the same files. */
  private static <T> Future<T> isMissing(Throwable failure) {
    return Future.failedFuture(Fault.of(failure) == Fault.NO_SUCH_DATASET
        ? new ScrException(Fault.NO_SUCH_FILE, failure.getMessage(), failure) : failure);
  }

  private boolean isInBackground(FlushAttempt attempt) {
    return shares.policy(attempt.prefix()).background();
  }

  /**
   * All nodes rename their drafts, unless later datasets have their names already. Until the dataset is in the index,
   * no other one gets names there, nor is one deleted.
   */
  Future<Void> publish(int id, int number) {
    FlushAttempt attempt = attempts.get(id);
    if (attempt.complete() && attempt.course().listed) {
      return hold(attempt);                               // later ones of its names would be noted there
    }
    return turns.enter(attempt.prefix()).compose(turn -> {
      attempt.course().begin(turn);
      return hold(attempt);
    }).compose(_ -> owners.later(attempt.descriptor(), attempt.paths(), publication(attempt), attempt.byNode(),
        attempt.form())).compose(later -> {
      attempt.course().later = later;
      return later.isPresent() || attempt.complete() ? Future.<Void>succeededFuture()
          : rename(attempt, number).recover(FlushSteps::isMissing);
    }).recover(failure -> failed(attempt, failure));
  }

  private Future<Void> hold(FlushAttempt attempt) {
    return tokens.hold(attempt.prefix()).map(token -> {
      attempt.course().begin(token);
      return null;
    });
  }

  /** A node that did not answer may give names later. What follows is of a new epoch, if there is none yet. */
  private <T> Future<T> failed(FlushAttempt attempt, Throwable failure) {
    if (!PrefixTokens.isOfAnotherLeader(failure)) {
      tokens.renew(attempt.prefix());
    }
    attempt.course().endTurn();
    return tokens.failed(attempt.prefix(), failure);
  }

  private Future<Void> rename(FlushAttempt attempt, int number) {
    return attempt.containers()
        .map(there -> containers.publish(there.packed(), number, there.plan(), attempt.course().token()))
        .orElseGet(() -> onHolders(attempt, number, Optional.of(attempt.course().token()),
            NodeVerb.FLUSH_PUBLISH, DraftsRenamed.class).map(all -> {
          attempt.course().taken |= all.stream().anyMatch(DraftsRenamed::taken);
          return null;
        }));
  }

  /** Nodes write the parts of the map that begin with their ranks. */
  Future<Void> writeMaps(int id) {
    FlushAttempt attempt = attempts.get(id);
    if (attempt.isWritten()) {
      return Future.succeededFuture();
    }
    int perPart = ranksPerPart(attempt);
    List<Future<MapPartWritten>> asked = new ArrayList<>();
    for (int first = 0; first < attempt.holders().size(); first += perPart) {
      List<String> holders = attempt.holders().subList(first, Math.min(first + perPart, attempt.holders().size()));
      asked.add(bus.command(holders.getFirst(), NodeVerb.FLUSH_MAP,
          new MapPartRequest(id, attempt.prefix(), attempt.holders().size(), first, perPart,
              List.copyOf(holders), attempt.form(), attempt.course().token()), MapPartWritten.class));
    }
    return Future.all(asked).<Void>map(_ -> {
      asked.forEach(part -> attempt.course().parts.add(part.result()));
      return null;
    }).recover(FlushSteps::isMissing).recover(failure -> failed(attempt, failure));
  }

  private static int ranksPerPart(FlushAttempt attempt) {
    int ranks = attempt.holders().size();
    return RankMapWriter.ranksPerPart(ranks, attempt.course().entryBytes / ranks);
  }

  /**
   * Map, summary and index of a dataset that the ranks have written to the prefix directory themselves.
   *
   * @param dataset with its totals
   * @param holders the node of each rank, by rank
   * @param mapBytes what the entries of all ranks take in the map
   * @param taken whether any of its places had a file before
   */
  Future<Void> publishInPlace(
      DatasetDescriptor dataset, String prefix, List<String> holders, long mapBytes, boolean taken) {
    OpenPrefix directory = prefixes.open(prefix);
    return tokens.hold(prefix).compose(token -> locked.run("prepare dataset " + dataset.id(), () ->
        directory.as(token).publication().prepare(dataset)).compose(complete -> {
          FlushAttempt.Course course = new FlushAttempt.Course(false, taken);
          course.begin(token);
          course.entryBytes = mapBytes;
          attempts.put(dataset.id(),
              new FlushAttempt(dataset, directory, holders, complete, FlushDescriptor.FILES, Optional.empty(), course));
          return writeMaps(dataset.id());
        }))
        .compose(_ -> sealed(dataset.id()))
        .compose(_ -> note(directory, dataset, Set.of(Location.PFS)))
        .onComplete((_, _) -> attempts.remove(dataset.id()))
        .recover(failure -> tokens.failed(prefix, failure));
  }

  /** Lists a dataset as replaced before ranks overwrite one of its files in place. */
  Future<Void> overwrite(OverwriteNotice what) {
    OpenPrefix directory = prefixes.open(what.prefix());
    return tokens.hold(what.prefix()).compose(token -> locked.<Void>run(
        "note that dataset " + what.dataset().id() + " writes over " + what.place(), () -> {
          directory.as(token).publication().markReplaced(what.place(), what.dataset());
          return null;
        })).recover(failure -> tokens.failed(what.prefix(), failure));
  }

  /** Root of the map, summary, index; then all nodes note that the dataset is there. */
  Future<Void> seal(int id) {
    FlushAttempt attempt = attempts.get(id);
    return sealed(id).compose(_ -> {
      attempts.remove(id);
      boolean drafts = attempt.complete() || attempt.course().later.isPresent();
      List<Future<Ack>> told = attempt.nodes().stream()
          .map(node -> bus.command(node, NodeVerb.FLUSHED,
              new FlushStateChange(attempt.descriptor().key(), FlushState.DONE, drafts), Ack.class)
              // an unreachable node finds it complete at the next flush
              .otherwise(Ack.ACK)).toList();
      return Future.all(told).compose(_ -> note(attempt.directory(), attempt.descriptor(),
          attempt.course().later.isPresent() ? Set.of(Location.CACHE) : Set.of(Location.CACHE, Location.PFS)))
          .compose(_ -> attempt.course().later.isPresent() || attempt.course().taken
              ? kept(attempt.prefix()) : Future.succeededFuture());
    });
  }

  /** What cannot be noted now keeps no flush from its end; the next restart does not begin without it. */
  private Future<Void> kept(String prefix) {
    return onlyCopies.keepIfPassedOver(prefix).otherwise(failure -> {
      LOG.warn("{}", failure.getMessage());
      return null;
    });
  }

  /** Given up for good: drafts of containers take space, and are not resumed. */
  void abandon(int id) {
    FlushAttempt attempt = attempts.remove(id);
    if (attempt != null && attempt.containers().isPresent()) {
      loop.prefix().run("remove draft containers of dataset " + id, () -> {
        attempt.containers().get().plan().drafts().clean();
        return null;
      }).onFailure(failure -> LOG.warn("draft containers of dataset {} stay: {}", id, failure.getMessage()));
    }
  }

  private Future<Void> sealed(int id) {
    FlushAttempt attempt = attempts.get(id);
    return (attempt.course().later.isPresent()
        ? locked.runLong("list dataset " + id + " as replaced", () -> replaced(attempt))
            .compose(remarks -> withoutContainers(attempt).map(remarks))
        : sealedNow(attempt)
    ).onSuccess(remarks -> {
      attempt.course().endTurn();
      tokens.succeeded(attempt.prefix());
      remarks.forEach(LOG::warn);
      shares.used(attempt.prefix());
      retention.flushed(attempt.prefix());
    }).<Void>mapEmpty().recover(failure -> failed(attempt, failure));
  }

  /** Each step takes the lock by itself, and is repeated while somebody else has it. */
  private Future<List<String>> sealedNow(FlushAttempt attempt) {
    int id = attempt.descriptor().id();
    Publication publication = publication(attempt);
    List<String> remarks = new ArrayList<>();
    return locked.runLong("seal dataset " + id, () -> {
      LocalDateTime now = LocalDateTime.now(loop.clock());
      return attempt.mapping().map(mapping -> publication.publish(attempt.descriptor(), mapping, map(attempt), now,
          attempt.course().taken)).orElseGet(() -> publication.enlist(attempt.descriptor(), now)).remarks();
    }).compose(enlisted -> {
      remarks.addAll(enlisted);
      return locked.runLong("remove what dataset " + id + " replaces", () ->
          publication.removeReplaced(attempt.descriptor()));
    }).compose(removed -> {
      remarks.addAll(removed);
      return locked.runLong("remove drafts of dataset " + id, () -> {
        attempt.containers().ifPresent(there -> there.plan().drafts().clean());
        if (attempt.course().again && attempt.containers().isEmpty()) {
          PrefixIndex index = attempt.directory().as(attempt.course().token()).index();
          new LeftoverSweep(attempt.paths(), index).sweep(attempt.descriptor().key());
        }
        return remarks;
      });
    });
  }

  /** Drafts of containers are the leader's to remove. */
  private Future<Void> withoutContainers(FlushAttempt attempt) {
    return attempt.containers().map(there -> loop.prefix().<Void>runLong(
        "remove drafts of dataset " + attempt.descriptor().id(), () -> {
          there.plan().drafts().clean();
          return null;
        })).orElseGet(Future::succeededFuture);
  }

  private static RankMapWriter map(FlushAttempt attempt) {
    return new RankMapWriter(attempt.paths(), attempt.descriptor().id(), attempt.holders().size(),
        ranksPerPart(attempt), Optional.of(attempt.course().token()));
  }

  private List<String> replaced(FlushAttempt attempt) {
    DatasetDescriptor later = attempt.course().later.orElseThrow();
    publication(attempt).enlistReplaced(attempt.descriptor(), later);
    return List.of("dataset " + attempt.descriptor().id() + " is not published: the later dataset " + later.id()
        + " \"" + later.name() + "\" has its names in " + attempt.prefix());
  }

  private static Publication publication(FlushAttempt attempt) {
    return attempt.directory().as(attempt.course().token()).publication();
  }

  /** For scripts around the job; the truth is in the filemaps, so trouble here stops nothing. */
  private Future<Void> note(OpenPrefix directory, DatasetDescriptor descriptor, Set<Location> locations) {
    return locked.<Void>run("note where dataset " + descriptor.id() + " is in " + directory.paths().prefix(), () -> {
      directory.flushFile().update(status -> status.put(descriptor, locations));
      return null;
    }).recover(failure -> {
      LOG.warn("flush file of {}: {}", directory.paths().prefix(), failure.getMessage());
      return Future.succeededFuture();
    });
  }
}
