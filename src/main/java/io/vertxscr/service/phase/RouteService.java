package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.DirectFiles;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.protocol.app.RouteReply;
import io.vertxscr.protocol.app.RouteRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.flush.OverwriteNotice;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.RunService;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** Serves a node. */
  public RouteService(Loop loop, NodeBus bus, RunService runs, DatasetStore store, FilePlaces places) {
    this.places = places;
    this.bus = bus;
    this.loop = loop;
    this.runs = runs;
    this.store = store;
  }

  /** The path to use for a file; completes once its directory exists. */
  public Future<RouteReply> route(RouteRequest request, String client) {
    LocalRun run = runs.run().orElseThrow(() ->
        new ScrException(Fault.WRONG_STATE, "no run has begun on this node: call init first"));
    LocalRun.RankSession session = run.session(request.run(), request.rank(), client);
    if (run.waiting().containsKey(request.rank())) {
      throw new ScrException(Fault.WRONG_STATE, "rank " + request.rank() + " called route for '" + request.name()
          + "' while its last call is not answered yet");
    }
    session.state().checkRoute(request.rank());
    OpenDataset open = run.open();
    return switch (session.state().phase()) {
      case OUTPUT -> output(open, request);
      case RESTART -> restart(open, request);
      case IDLE, ENDED -> Future.succeededFuture(new RouteReply(request.name()));
    };
  }

  private Future<RouteReply> output(OpenDataset open, RouteRequest request) {
    int id = open.descriptor().id();
    if (open.isBypass()) {
      return bypass(open, request);
    }
    return places.place(open, request.directory(), request.name())
        .compose(place -> {
          Path file = NodeDirectories.resolve(
              open.directory(), open.route(request.rank(), place.relative()));
          return loop.blocking("route", () -> {
            store.createDirectory(id, request.rank());
            Files.createDirectories(file.getParent());
            return new RouteReply(file.toString());
          });
        });
  }

  /** Past the cache: to the file's own place. */
  private Future<RouteReply> bypass(OpenDataset open, RouteRequest request) {
    DirectFiles files = new DirectFiles(new PrefixPaths(open.directory()), open.descriptor().id());
    return places.rules(open).compose(rules -> loop.prefix().run("route " + request.name(), () -> {
      String relative = rules.place(request.directory(), request.name()).relative();
      return new Direct(relative, files.prepare(relative));
    })).compose(direct -> {
      boolean taken = direct.taken() && !open.isRouted(direct.relative());
      open.route(request.rank(), direct.relative());
      return taken ? open.overwriting(() -> bus.askLeader(NodeVerb.OVERWRITE, new OverwriteNotice(
          open.directory().toString(), open.descriptor(), direct.relative()), Ack.class)).map(direct)
          : Future.succeededFuture(direct);
    }).map(direct -> new RouteReply(open.directory().resolve(direct.relative()).toString()));
  }

  /** A place in the prefix directory, and whether there is a file already. */
  private record Direct(String relative, boolean taken) {}

  private Future<RouteReply> restart(OpenDataset open, RouteRequest request) {
    if (open.inPrefix()) {
      return places.rules(open).compose(rules -> loop.prefix().run("route " + request.name(),
          () -> new RouteReply(inPrefix(rules, open, request).toString())));
    }
    return places.place(open, request.directory(), request.name()).map(PathRules.Place::relative)
        .recover(failure -> failure instanceof ScrException refused ? Future.succeededFuture(baseName(request, refused))
            : Future.failedFuture(failure)).map(relative -> {
      String name = open.readable(request.rank(), request.name(), relative).name();
      return new RouteReply(NodeDirectories.resolve(open.directory(), name).toString());
    });
  }

  /**
   * Any file below the prefix by its path, else one that this rank wrote by its base name. A name without a directory
   * is first of all that of a file of the dataset: what is called the same in the working directory is another one.
   */
  private static Path inPrefix(PathRules rules, OpenDataset open, RouteRequest request) {
    String relative = place(rules, request);
    Path named = open.prefix().resolve(relative);
    boolean isFound = !relative.isEmpty() && Files.isRegularFile(named);
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
      return baseName(request, e);
    }
  }

  private static String baseName(RouteRequest request, ScrException refusal) {
    LOG.debug("restart: {} is looked up by its base name: {}", request.name(), refusal.getMessage());
    return "";
  }
}
