package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.flow.run.SessionState;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.DirectFiles;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.app.ShardRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.phase.ShardFiles.AskedShard;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.OpenShards.OpenRangeOfShard;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import io.vertxscr.storage.Trees;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Returns the path at which a rank writes or reads a file. Writes nothing but directories. On the node's loop. */
public final class RouteService {
  private static final Logger LOG = LoggerFactory.getLogger(RouteService.class);

  private final Loop loop;
  private final RunService runs;
  private final DatasetStore store;
  private final NodeBus bus;
  private final FilePlaces places;
  private final ShardFiles shards;

  /** Serves a node. */
  public RouteService(
      Loop loop, NodeBus bus, RunService runs, DatasetStore store, FilePlaces places, ShardFiles shards) {
    this.shards = shards;
    this.places = places;
    this.bus = bus;
    this.loop = loop;
    this.runs = runs;
    this.store = store;
  }

  /** The path to use for a file; completes once its directory exists. */
  public Future<RouteReply> route(RouteRequest request, String client) {
    SessionState.SessionPhase phase = phase("route", request, client);
    OpenDataset open = runs.run().orElseThrow().open();
    return switch (phase) {
      case OUTPUT -> output(open, request);
      case RESTART -> restart(open, request);
      case IDLE, ENDED -> Future.succeededFuture(new RouteReply(request.name()));
    };
  }

  /** Where a file of the checkpoint that is being read, or a range of it, is here. It is brought to this node first. */
  public Future<ShardReply> shard(ShardRequest request, String client) {
    RouteRequest named = new RouteRequest(request.run(), request.rank(), request.name(), request.directory());
    if (phase("shard", named, client) != SessionState.SessionPhase.RESTART) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " called shard for '" + request.name()
          + "', which is possible between start-restart and complete-restart only");
    }
    OpenDataset open = runs.run().orElseThrow().open();
    Function<String, AskedShard> asked = path -> new AskedShard(
        request.rank(), path, request.name(), request.writer(), request.offset(), request.bytes());
    if (open.inPrefix()) {
      return places.inPrefix(open, "look for " + request.name(), rules -> {
        Path file = inPrefix(rules, open, named);
        OpenRangeOfShard range = asked.apply("").of(new FileMeta(
            request.name(), file.toString(), Files.size(file), OptionalInt.empty()));
        return new ShardReply(file.toString(), range.offset(), range.bytes());
      });
    }
    return relative(open, named).compose(path -> shards.get(open, asked.apply(path)));
  }

  /** Checks the call, as of what phase it is. */
  private SessionState.SessionPhase phase(String verb, RouteRequest request, String client) {
    LocalRun run = runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on this node: call init first"));
    LocalRun.RankSession session = run.session(request.run(), request.rank(), client);
    if (run.waiting().containsKey(request.rank())) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " called " + verb + " for '"
          + request.name() + "' while its last call is not answered yet");
    }
    session.state().checkRoute(request.rank());
    return session.state().phase();
  }

  private Future<RouteReply> output(OpenDataset open, RouteRequest request) {
    if (open.isBypass()) {
      return bypass(open, request);
    }
    int rank = request.rank();
    return placed(open, request).compose(place -> {
      Path file = NodeDirectories.resolve(open.directory(), open.route(rank, place.relative()));
      Path directory = file.getParent();
      return made(open, directory, () -> Trees.make(directory))
          .map(_ -> new RouteReply(file.toString()));
    });
  }

  /** Resolves the name, and makes the directory of the rank. */
  private Future<PathRules.Place> placed(OpenDataset open, RouteRequest request) {
    int id = open.descriptor().id();
    int rank = request.rank();
    Path home = store.directory(id, rank);
    Optional<PathRules.Place> known = open.placeInMemory(
        request.directory(), request.name(), path -> open.isRouted(rank, path));
    return known.map(Future::succeededFuture)
        .orElseGet(() -> places.place(open, request.directory(), request.name()))
        .compose(place -> made(open, home, () -> store.createDirectory(id, rank)).map(place));
  }

  /** Makes a directory of the dataset in the cache, once in a phase. */
  private Future<Void> made(OpenDataset open, Path directory, Callable<Path> make) {
    return open.isMade(directory) ? Future.succeededFuture()
        : loop.blocking("route", make).onSuccess(_ -> open.made(directory)).mapEmpty();
  }

  /** Past the cache: to the file's own place. */
  private Future<RouteReply> bypass(OpenDataset open, RouteRequest request) {
    Optional<PathRules.Place> known = open.placeInMemory(
        request.directory(), request.name(), path -> open.isRouted(request.rank(), path));
    if (known.filter(place -> open.isRouted(request.rank(), place.relative())).isPresent()) {
      return direct(open, request, new Direct(known.get().relative(), false));
    }
    return places.inPrefix(open, "route " + request.name(), rules -> {
      String relative = rules.place(request.directory(), request.name()).relative();
      return new Direct(relative, new DirectFiles(rules.paths(), open.descriptor().id()).prepare(relative));
    }).compose(direct -> direct(open, request, direct));
  }

  /** Nobody gets the place of an older file before the leader knows that it is overwritten. */
  private Future<RouteReply> direct(OpenDataset open, RouteRequest request, Direct file) {
    boolean overwrites = file.taken() && !open.isRouted(file.relative());
    open.route(request.rank(), file.relative());
    Future<Ack> known = overwrites || open.isOverwriting()
        ? open.overwriting(() -> bus.askLeader(NodeVerb.OVERWRITE,
            new OverwriteNotice(open.directory().toString(), open.descriptor(), file.relative()), Ack.class))
        : Future.succeededFuture(Ack.ACK);
    return known.map(_ -> new RouteReply(open.directory().resolve(file.relative()).toString()));
  }

  /** A place in the prefix directory, and whether there is a file already. */
  private record Direct(String relative, boolean taken) {}

  private Future<RouteReply> restart(OpenDataset open, RouteRequest request) {
    if (open.inPrefix()) {
      return places.inPrefix(open, "route " + request.name(),
          rules -> new RouteReply(inPrefix(rules, open, request).toString()));
    }
    return relative(open, request).compose(relative -> open.shards().isEmpty()
        ? Future.succeededFuture(readable(open, request, relative))
        : shards.get(open, new AskedShard(request.rank(), relative, request.name(), OptionalInt.empty(),
            OptionalLong.empty(), OptionalLong.empty())).map(whole -> new RouteReply(whole.file())));
  }

  /** The path of a file below the prefix directory. Empty where the name is none, and may still be a base name. */
  private Future<String> relative(OpenDataset open, RouteRequest request) {
    Optional<PathRules.Place> known = inMemory(open, request);
    return known.isPresent() ? Future.succeededFuture(known.get().relative())
        : places.place(open, request.directory(), request.name()).map(PathRules.Place::relative)
            .recover(failure -> failure instanceof ScrException refused
                ? Future.succeededFuture(baseName(request, refused)) : Future.failedFuture(failure));
  }

  private static RouteReply readable(OpenDataset open, RouteRequest request, String relative) {
    String name = open.readable(request.rank(), request.name(), relative).name();
    return new RouteReply(NodeDirectories.resolve(open.directory(), name).toString());
  }

  /** A path of the dataset itself; what is no path at all may still be a base name. */
  private static Optional<PathRules.Place> inMemory(OpenDataset open, RouteRequest request) {
    try {
      return open.placeInMemory(
          request.directory(), request.name(), path -> open.isReadable(request.rank(), path)
              || open.shards().flatMap(shared -> shared.catalog().at(path)).isPresent());
    } catch (ScrException _) {
      return Optional.empty();                            // told by the slow way
    }
  }

  /**
   * Any file below the prefix by its path, else one that this rank wrote by its base name. A name without a directory
   * is first of all that of a file of the dataset: what is called the same in the working directory is another one.
   */
  private static Path inPrefix(PathRules rules, OpenDataset open, RouteRequest request) {
    String relative = place(rules, request);
    Path named = open.prefix().resolve(relative);
    boolean isFound = !relative.isEmpty() && Presence.isFile(named);
    if (isFound && (request.name().indexOf('/') >= 0
        || open.find(request.rank(), request.name(), relative).isEmpty())) {
      return named;
    }
    return open.prefix().resolve(open.readable(request.rank(), request.name(), relative).path());
  }

  /** Resolves a name below the prefix; empty outside of it, because in a restart a base name is enough. */
  private static String place(PathRules rules, RouteRequest request) {
    try {
      return rules.place(request.directory(), request.name()).relative();
    } catch (ScrException e) {
      if (e.fault() == Fault.IO) {
        throw e;                                          // else another file may be the answer
      }
      return baseName(request, e);
    }
  }

  private static String baseName(RouteRequest request, ScrException refusal) {
    LOG.debug("restart: {} is looked up by its base name: {}", request.name(), refusal.getMessage());
    return "";
  }
}
