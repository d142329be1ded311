package io.vertxscr.service.leader;

import io.vertx.core.Future;
import io.vertxscr.flow.Inventory;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.descriptor.FlushDescriptor;
import io.vertxscr.prefix.FlushFileStore;
import io.vertxscr.prefix.PrefixIndex;
import io.vertxscr.prefix.PrefixDirectories;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.prefix.Publication.Mapping;
import io.vertxscr.prefix.Publication;
import io.vertxscr.prefix.RankMapWriter;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.Flushing.Flushed;
import io.vertxscr.protocol.node.Flushing.Form;
import io.vertxscr.protocol.node.Flushing.MapPart;
import io.vertxscr.protocol.node.Flushing.Mapped;
import io.vertxscr.protocol.node.Flushing.Work;
import io.vertxscr.protocol.node.Flushing.Worked;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.leader.ContainerSteps.Packed;
import io.vertxscr.service.leader.ContainerSteps.Plan;
import io.vertxscr.service.flush.FlushShares;
import io.vertxscr.service.flush.PrefixKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the leader does for the steps of a flush. On the node's loop. */
final class FlushSteps {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSteps.class);
  private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final ContainerSteps containers;
  private final FlushShares shares;
  private final PrefixKeeper keeper;
  private final Map<Integer, Attempt> attempts = new HashMap<>();

  FlushSteps(Loop loop, NodeBus bus, String self, FlushShares shares, PrefixKeeper keeper) {
    this.keeper = keeper;
    this.shares = shares;
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.containers = new ContainerSteps(loop, bus);
  }

  /**
   * What the first step of an attempt has found, for those that follow.
   *
   * @param holders the node that has each rank's files, by rank
   * @param complete whether the dataset was in the prefix directory already, whole
   * @param form what its files become
   * @param containers where its files go, if they are packed
   */
  private record Attempt(DatasetDescriptor descriptor, PrefixPaths paths, List<String> holders, boolean complete,
      Form form, Optional<Plan> containers, MapSums map) {

    Attempt with(Plan plan) {
      return new Attempt(descriptor, paths, holders, complete, Form.CONTAINERS, Optional.of(plan), map);
    }

    /** Of the map that this attempt has written; empty if it has not. */
    Optional<Mapping> mapping() {
      return complete ? Optional.empty() : Optional.of(map.mapping(form));
    }

    /** Ranks by node. */
    SortedMap<String, List<Integer>> byNode() {
      SortedMap<String, List<Integer>> byNode = new TreeMap<>();
      for (int rank = 0; rank < holders.size(); rank++) {
        byNode.computeIfAbsent(holders.get(rank), _ -> new ArrayList<>()).add(rank);
      }
      return byNode;
    }
  }

  /** What is known of the map of an attempt. */
  private static final class MapSums {
    private long entryBytes;
    private final List<Mapped> parts = new ArrayList<>();

    Mapping mapping(Form form) {
      long stored = parts.stream().mapToLong(Mapped::storedBytes).sum();
      return new Mapping(new Totals(parts.stream().mapToLong(Mapped::files).sum(),
          parts.stream().mapToLong(Mapped::bytes).sum()),
          form == Form.COMPRESSED ? OptionalLong.of(stored) : OptionalLong.empty());
    }
  }

  /** Who deletes what is old. */
  PrefixKeeper keeper() {
    return keeper;
  }

  /** What may be used of the file systems. */
  FlushShares shares() {
    return shares;
  }

  /** The node that has the files of each rank of a dataset; empty if no node has those of some rank. */
  static Optional<List<String>> holders(Inventory.Dataset dataset, List<Inventory> all) {
    String[] holders = new String[dataset.origin().ranks()];
    int found = 0;
    for (Inventory inventory : all) {
      for (Inventory.Dataset other : inventory.datasets()) {
        if (other.sameAs(dataset)) {
          for (Inventory.Held held : other.ranks()) {
            found += held.files() && holders[held.rank()] == null ? 1 : 0;
            holders[held.rank()] = held.files() ? inventory.node() : holders[held.rank()];
          }
        }
      }
    }
    return found == holders.length ? Optional.of(List.of(holders)) : Optional.empty();
  }

  /** All nodes copy their files to drafts. */
  Future<Void> copy(int id, int number, List<Inventory> all) {
    Inventory.Dataset dataset = all.stream().flatMap(inventory -> inventory.datasets().stream())
        .filter(d -> d.descriptor().id() == id).findFirst()
        .orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "no cache holds dataset " + id));
    List<String> holders = holders(dataset, all).orElseThrow(() -> new ScrException(Fault.TOO_MANY_LOST,
        "the files of some rank of dataset " + id + " are in no cache now"));
    PrefixPaths paths = new PrefixPaths(Path.of(dataset.origin().prefix()));
    boolean used = shares.isUsed(dataset.origin().prefix(),
        all.stream().anyMatch(inventory -> inventory.prefixes().contains(dataset.origin().prefix())));
    return loop.blocking("prepare the flush of dataset " + id, () -> {
      if (used || PrefixDirectories.isBare(paths)) {
        requireMounted(paths);
      }
      note(paths, dataset.descriptor(), Set.of(Location.CACHE, Location.FLUSHING));
      return new Prepared(publication(paths).prepare(dataset.descriptor()), fileSystem(paths.prefix()));
    }).compose(prepared -> {
      Form form = dataset.origin().flush().compression().isPresent() ? Form.COMPRESSED : Form.FILES;
      Attempt plain = new Attempt(
          dataset.descriptor(), paths, holders, prepared.complete(), form, Optional.empty(), new MapSums());
      attempts.put(id, plain);
      return prepared.complete() ? Future.succeededFuture() : plan(plain, dataset.origin().flush(), number)
          .compose(attempt -> copy(attempt, number, prepared.fileSystem()));
    });
  }

  /** A run is about to begin there; where nobody can look, what the nodes remember counts. */
  Future<Void> begun(String prefix) {
    return loop.blocking("look for datasets in " + prefix, () -> publication(new PrefixPaths(Path.of(prefix))).hasAny())
        .onSuccess(any -> shares.begun(prefix, any)).<Void>mapEmpty().otherwiseEmpty();
  }

  /** Where a dataset was brought to there are traces of it; a mount point without its file system would have none. */
  private void requireMounted(PrefixPaths paths) {
    if (!publication(paths).hasAny()) {
      throw new ScrException(Fault.IO, "the prefix directory " + paths.prefix() + " has no trace of the runs and "
          + "datasets that were there: is it mounted? If it was emptied, make a file " + paths.index()
          + " or begin another run");
    }
  }

  private Future<Attempt> plan(Attempt attempt, FlushDescriptor flush, int number) {
    return flush.containers().map(size -> containers.plan(
        new Packed(attempt.descriptor(), attempt.paths(), size, attempt.byNode()), number).map(attempt::with))
        .orElseGet(() -> Future.succeededFuture(attempt));
  }

  private Future<Void> copy(Attempt attempt, int number, String fileSystem) {
    int id = attempt.descriptor().id();
    attempts.put(id, attempt);
    Map<String, Integer> ranksByNode = new HashMap<>();
    attempt.byNode().forEach((node, ranks) -> ranksByNode.put(node, ranks.size()));
    shares.begin(attempt.descriptor(), number, attempt.paths().prefix().toString(), fileSystem, ranksByNode);
    return onHolders(attempt, number, NodeVerb.FLUSH_COPY).<Void>map(worked -> {
      attempt.map().entryBytes = worked.stream().mapToLong(Worked::mapBytes).sum();
      return null;
    }).onComplete((_, failure) -> shares.end(id, failure == null));
  }

  /** Whether it is there already, and what the prefix directory is in. */
  private record Prepared(boolean complete, String fileSystem) {}

  private static String fileSystem(Path prefix) {
    try {
      return "device " + Files.getAttribute(prefix, "unix:dev");
    } catch (IOException | UnsupportedOperationException _) {
      return prefix.toString();
    }
  }

  private Future<List<Worked>> onHolders(Attempt attempt, int number, NodeVerb verb) {
    List<Future<Worked>> asked = new ArrayList<>();
    attempt.byNode().forEach((node, ranks) -> asked.add(
        bus.command(node, verb, new Work(attempt.descriptor().id(), number, ranks, isInBackground(attempt),
            attempt.containers().map(plan -> plan.packings().get(node))), Worked.class)));
    return Future.join(asked).map(_ -> asked.stream().map(Future::result).toList());
  }

  private boolean isInBackground(Attempt attempt) {
    return shares.policy(attempt.paths().prefix().toString()).background();
  }

  /** All nodes rename their drafts. */
  Future<Void> publish(int id, int number) {
    Attempt attempt = attempts.get(id);
    if (attempt.complete()) {
      return Future.succeededFuture();
    }
    return attempt.containers().map(plan -> containers.publish(id, plan))
        .orElseGet(() -> onHolders(attempt, number, NodeVerb.FLUSH_PUBLISH).mapEmpty());
  }

  /** Nodes write the parts of the map that begin with their ranks. */
  Future<Void> writeMaps(int id) {
    Attempt attempt = attempts.get(id);
    if (attempt.complete()) {
      return Future.succeededFuture();
    }
    int perPart = ranksPerPart(attempt);
    List<Future<Mapped>> asked = new ArrayList<>();
    for (int first = 0; first < attempt.holders().size(); first += perPart) {
      List<String> holders = attempt.holders().subList(first, Math.min(first + perPart, attempt.holders().size()));
      asked.add(bus.command(holders.getFirst(), NodeVerb.FLUSH_MAP,
          new MapPart(id, attempt.paths().prefix().toString(), attempt.holders().size(), first, perPart,
              List.copyOf(holders), attempt.form()), Mapped.class));
    }
    return Future.all(asked).map(_ -> {
      asked.forEach(part -> attempt.map().parts.add(part.result()));
      return null;
    });
  }

  private static int ranksPerPart(Attempt attempt) {
    int ranks = attempt.holders().size();
    return RankMapWriter.ranksPerPart(ranks, attempt.map().entryBytes / ranks);
  }

  /**
   * Map, summary and index of a dataset that the ranks have written to the prefix directory themselves.
   *
   * @param dataset with its totals
   * @param holders the node of each rank, by rank
   * @param mapBytes what the entries of all ranks take in the map
   */
  Future<Void> publishInPlace(DatasetDescriptor dataset, String prefix, List<String> holders, long mapBytes) {
    PrefixPaths paths = new PrefixPaths(Path.of(prefix));
    return loop.blocking("prepare dataset " + dataset.id(), () -> publication(paths).prepare(dataset))
        .compose(complete -> {
          MapSums map = new MapSums();
          map.entryBytes = mapBytes;
          attempts.put(dataset.id(),
              new Attempt(dataset, paths, holders, complete, Form.FILES, Optional.empty(), map));
          return writeMaps(dataset.id());
        })
        .compose(_ -> sealed(dataset.id()))
        .compose(_ -> loop.<Void>blocking("note dataset " + dataset.id(), () -> {
          note(paths, dataset, Set.of(Location.PFS));
          return null;
        }))
        .onComplete((_, _) -> attempts.remove(dataset.id()));
  }

  /** Root of the map, summary, index; then all nodes note that the dataset is there. */
  Future<Void> seal(int id) {
    Attempt attempt = attempts.get(id);
    return sealed(id).compose(_ -> {
      attempts.remove(id);
      List<Future<Ack>> told = Set.copyOf(new HashSet<>(attempt.holders())).stream()
          .map(node -> bus.command(node, NodeVerb.FLUSHED, new Flushed(id, FlushState.DONE), Ack.class)
              // who cannot be told finds it complete when it is asked to flush again
              .otherwise(Ack.ACK)).toList();
      return Future.all(told).compose(_ -> loop.blocking("note the flush of dataset " + id, () -> {
        note(attempt.paths(), attempt.descriptor(), Set.of(Location.CACHE, Location.PFS));
        return null;
      }));
    });
  }

  /** Given up for good: drafts of containers take room, and nobody goes on with them. */
  void abandon(int id) {
    Attempt attempt = attempts.remove(id);
    if (attempt != null && attempt.containers().isPresent()) {
      loop.blocking("remove draft containers of dataset " + id, () -> {
        attempt.containers().get().drafts().clean();
        return null;
      }).onFailure(failure -> LOG.warn("draft containers of dataset {} stay: {}", id, failure.getMessage()));
    }
  }

  private Future<Void> sealed(int id) {
    Attempt attempt = attempts.get(id);
    return loop.blocking("seal dataset " + id, () -> {
      if (!attempt.complete()) {
        new RankMapWriter(attempt.paths(), id, attempt.holders().size(), ranksPerPart(attempt)).writeRoot();
      }
      List<String> remarks = publication(attempt.paths()).publish(
          attempt.descriptor(), attempt.mapping(), LocalDateTime.now());
      attempt.containers().ifPresent(plan -> plan.drafts().clean());
      return remarks;
    }).map(remarks -> {
      remarks.forEach(LOG::warn);
      shares.used(attempt.paths().prefix().toString());
      keeper.flushed(attempt.paths().prefix().toString());
      return null;
    });
  }

  private Publication publication(PrefixPaths paths) {
    return new Publication(paths, new PrefixIndex(paths, "node " + self, LOCK_PATIENCE));
  }

  /** For scripts around the job; the truth is in the filemaps, so trouble here stops nothing. */
  private void note(PrefixPaths paths, DatasetDescriptor descriptor, Set<Location> locations) {
    try {
      new FlushFileStore(paths, "node " + self, LOCK_PATIENCE).update(status -> status.put(descriptor, locations));
    } catch (ScrException e) {
      LOG.warn("flush file of {}: {}", paths.prefix(), e.getMessage());
    }
  }
}
