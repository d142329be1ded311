package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.flow.restart.ShardCatalog.Shard;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.ShardReply;
import io.vertxscr.protocol.node.Answers;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.restart.LayoutReply;
import io.vertxscr.protocol.node.restart.LayoutRequest;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.KnownLayouts;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.service.Loop;
import io.vertxscr.service.NodeBus;
import io.vertxscr.service.RangeSources;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.OpenShards;
import io.vertxscr.service.run.OpenShards.HeldRanks;
import io.vertxscr.service.run.OpenShards.OpenRangeOfShard;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds files of other ranks in a restart, and brings what is asked for here (docs/flows/shards.md). On the node's
 * loop.
 */
public final class ShardFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ShardFiles.class);
  /** Bounds the size of an answer. */
  private static final int RANKS_AT_ONCE = 64;

  private final Loop loop;
  private final NodeBus bus;
  private final String self;
  private final DatasetStore store;
  private final RangeSources sources;

  /** Serves a node. */
  public ShardFiles(Loop loop, NodeBus bus, String self, DatasetStore store, RangeSources sources) {
    this.loop = loop;
    this.bus = bus;
    this.self = self;
    this.store = store;
    this.sources = sources;
  }

  /**
   * What a rank asks for.
   *
   * @param path relative to the prefix directory; empty for a name that is not below it
   * @param name as the application calls it
   */
  record AskedShard(int rank, String path, String name, OptionalInt writer, OptionalLong offset, OptionalLong bytes) {
    /** The range of a file. @throws ScrException BAD_REQUEST if it ends before the range does */
    OpenRangeOfShard of(FileMeta file) {
      long from = offset.orElse(0);
      if (from > file.bytes() || bytes.orElse(0) > file.bytes() - from) {
        throw new ScrException(Fault.BAD_REQUEST, "rank " + rank + " asks for " + (bytes.isPresent()
            ? bytes.getAsLong() + " bytes" : "the bytes") + " from " + from + " on of '" + name + "', which has "
            + file.bytes());
      }
      return new OpenRangeOfShard(file.path(), from, bytes.orElse(file.bytes() - from));
    }
  }

  /** Completes when the bytes are on this node. */
  Future<ShardReply> get(OpenDataset open, AskedShard asked) {
    return find(open, asked).compose(shard -> {
      OpenRangeOfShard range = asked.of(shard.file());
      if (shard.node().equals(self)) {
        Path file = NodeDirectories.resolve(open.directory(), shard.file().name());
        return Future.succeededFuture(new ShardReply(file.toString(), range.offset(), range.bytes()));
      }
      OpenShards shards = open.shards().orElseThrow();
      OpenRangeOfShard whole = new OpenRangeOfShard(range.path(), 0, shard.file().bytes());
      boolean all = range.equals(whole) || shards.isBrought(whole);
      return shards.bring(all ? whole : range, () -> pull(open, shards, shard, all ? whole : range))
          .map(file -> new ShardReply(file.toString(), all ? range.offset() : 0, range.bytes()));
    });
  }

  private Future<Shard> find(OpenDataset open, AskedShard asked) {
    Optional<OpenShards> shared = open.shards();
    boolean hasOwn = shared.map(OpenShards::ownSize).orElse(true) && asked.writer().isEmpty();
    Optional<FileMeta> own = hasOwn ? open.find(asked.rank(), asked.name(), asked.path()) : Optional.empty();
    if (own.isPresent() || shared.isEmpty()) {
      FileMeta file = own.orElseGet(() -> open.readable(asked.rank(), asked.name(), asked.path()));
      return Future.succeededFuture(new Shard(self, new RankFiles(asked.rank(), List.of(file)), file, 0));
    }
    OpenShards shards = shared.get();
    Predicate<Shard> meant = shard -> asked.writer().isEmpty() || shard.writer() == asked.writer().getAsInt();
    Optional<Shard> known = shards.catalog().at(asked.path()).filter(meant);
    return known.isPresent() ? Future.succeededFuture(known.get())
        : learn(open, shards, asked.writer()).map(_ -> found(open, shards, asked, meant));
  }

  private static Shard found(OpenDataset open, OpenShards shards, AskedShard asked, Predicate<Shard> meant) {
    try {
      return shards.catalog().find(asked.path(), asked.name(), meant);
    } catch (ScrException e) {
      throw new ScrException(e.fault(), "rank " + asked.rank() + " asks for '" + asked.name() + "' of dataset "
          + open.descriptor().id() + " \"" + open.descriptor().name() + "\": " + e.getMessage(), e);
    }
  }

  /** Asks for the names of files: of one rank that wrote some, or of all. */
  private Future<Void> learn(OpenDataset open, OpenShards shards, OptionalInt writer) {
    List<Future<Void>> asked = new ArrayList<>();
    if (writer.isPresent()) {
      HeldRanks of = new HeldRanks(shards.holders().nodeOf(writer.getAsInt()), List.of(writer.getAsInt()));
      return of.node().equals(self) ? Future.succeededFuture() : ask(open, shards, of);
    }
    shards.holders().byNode().forEach((node, ranks) -> {
      for (int first = 0; first < ranks.size() && !node.equals(self); first += RANKS_AT_ONCE) {
        asked.add(ask(open, shards, new HeldRanks(
            node, List.copyOf(ranks.subList(first, Math.min(first + RANKS_AT_ONCE, ranks.size()))))));
      }
    });
    return Future.all(asked).mapEmpty();
  }

  private Future<Void> ask(OpenDataset open, OpenShards shards, HeldRanks of) {
    return shards.ask(of, () -> bus.ask(of.node(), NodeVerb.LAYOUT,
        new LayoutRequest(open.descriptor().id(), of.ranks()), LayoutReply.class).map(reply -> {
          shards.catalog().add(of.node(), Answers.of(of.ranks(), reply.files()));
          shards.store(of.node(), reply.store());
          return null;
        }));
  }

  private Future<Path> pull(OpenDataset open, OpenShards shards, Shard shard, OpenRangeOfShard range) {
    int id = open.descriptor().id();
    FileMeta file = shard.file();
    boolean whole = range.bytes() == file.bytes();
    FileMeta here = new FileMeta(shards.nextPull() + "/" + file.baseName(), file.path(), range.bytes(),
        whole ? file.crc() : OptionalInt.empty(), whole ? file.stamp() : Optional.empty());
    RangeRequest from = new RangeRequest(shard.node(), id, shard.writer(), RangeRequest.RangeKind.FILES,
        shard.at() + range.offset(), range.bytes());
    KnownLayouts layouts = new KnownLayouts(store::neighbour);
    layouts.files(shard.of());
    shards.storeOf(shard.node()).ifPresent(base -> layouts.store(shard.node(), base));
    return directory(id, shards).compose(directory -> loop.blocking(
        "bring " + file.path() + " of dataset " + id + " from node " + shard.node(), () -> {
          requireRoom(id, range);
          RestoreJob.part(new RankFiles(shard.writer(), List.of(here)), from,
              sources.of(layouts, Fault.CORRUPT), directory).run();
          return NodeDirectories.resolve(directory, here.name());
        }));
  }

  private Future<Path> directory(int id, OpenShards shards) {
    return shards.directory(() -> loop.blocking("make a directory for shards of dataset " + id, () ->
        store.createDraft(id, base(id))));
  }

  private String base(int id) {
    return store.cache(id).base();
  }

  private void requireRoom(int id, OpenRangeOfShard range) {
    if (store.freeBytes(base(id)) < range.bytes()) {
      store.reclaim(base(id));
      long free = store.freeBytes(base(id));
      if (free < range.bytes()) {
        throw new ScrException(Fault.NO_SPACE, "no room in store " + base(id) + " for " + range.bytes() + " bytes of "
            + range.path() + " of dataset " + id + ": free are " + free);
      }
    }
  }

  /** The restart is over: what was brought goes. */
  public void end(Optional<OpenDataset> read) {
    read.flatMap(open -> open.shards().filter(OpenShards::forget).map(_ -> open.descriptor().id())).ifPresent(id ->
        loop.quietly("discard what was brought of dataset " + id, () -> {
          store.discardDraft(id, base(id));
          store.emptyTrash();
          return null;
        }).onFailure(e -> LOG.info("what was brought of dataset {} stays: {}", id, e.getMessage())));
  }
}
