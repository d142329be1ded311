package io.vertxscr.service.container;

import io.vertx.core.Future;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.ContainerCopy;
import io.vertxscr.prefix.copy.container.ContainerDrafts;
import io.vertxscr.prefix.copy.container.PackedRanks;
import io.vertxscr.prefix.metadata.PrefixFence;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.container.AggregateRequest;
import io.vertxscr.protocol.node.container.ContainerPlace;
import io.vertxscr.protocol.node.container.EntriesReply;
import io.vertxscr.protocol.node.container.EntriesRequest;
import io.vertxscr.protocol.node.container.MeasureReply;
import io.vertxscr.protocol.node.container.MeasureRequest;
import io.vertxscr.protocol.node.container.PublishContainers;
import io.vertxscr.protocol.node.flush.FlushWorked;
import io.vertxscr.protocol.node.restart.FetchRanks;
import io.vertxscr.service.Loop;
import io.vertxscr.service.OpenPrefix;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.copy.PrefixCopies;
import io.vertxscr.service.restart.FetchService;
import io.vertxscr.storage.DatasetStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The node half of container aggregation: measure, aggregate, publish, unpack. Page: docs/flows/containers.md. Every
 * step can be repeated. On the node's loop.
 */
public final class AggregateService {

  private final Loop loop;
  private final Prefixes prefixes;
  private final String self;
  private final DatasetStore store;
  private final PrefixCopies copies;
  private final FetchService fetches;
  /** Places of this node's files in the containers of the flushes that are under way, by dataset. */
  private final Map<Integer, PackedRanks> packed = new HashMap<>();

  /** Aggregates for a node. */
  public AggregateService(Loop loop, Prefixes prefixes, String self, DatasetStore store, PrefixCopies copies,
      FetchService fetches) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.self = self;
    this.store = store;
    this.copies = copies;
    this.fetches = fetches;
  }

  /** Sums up the ranks' files. */
  public Future<MeasureReply> measure(MeasureRequest of) {
    long bytes = copies.files(copies.record(of.datasetId()), of.ranks()).stream().mapToLong(RankFiles::bytes).sum();
    return Future.succeededFuture(new MeasureReply(of.datasetId(), of.attempt(), bytes));
  }

  /** Copies the ranks' files into draft containers; what fails leaves no draft of this node behind. */
  public Future<FlushWorked> aggregate(AggregateRequest request) {
    return copies.inTurn(request.datasetId(), () -> aggregateNow(request));
  }

  private Future<FlushWorked> aggregateNow(AggregateRequest request) {
    int id = request.datasetId();
    DatasetRecord record = copies.record(id);
    PrefixPaths paths = prefixes.of(record).paths();
    return loop.prefix().run("look for the prefix directory of dataset " + id, () -> {
      Publication.requirePrepared(paths, id);
      return record;
    }).compose(_ -> {
      ContainerPlace place = request.place();
      List<RankFiles> ranks = copies.files(record, request.ranks());
      ContainerLayout layout = new ContainerLayout(place.containerBytes(), place.alignBytes());
      PackedRanks there = new PackedRanks(layout, place.offset(), ranks);
      ContainerCopy target = new ContainerCopy(
          id, ContainerDrafts.directory(paths, id, place.layout()), store.directory(id), there);
      return copies.copy(new PrefixCopies.Attempt(id, request.attempt(), request.background()), target, ranks,
          place.copied() ? List.of() : target.extents(ranks)).map(copied -> {
            packed.keySet().removeIf(other -> store.find(other).isEmpty());   // flushes that were given up
            PackedRanks all = new PackedRanks(layout, place.offset(), copied);
            packed.put(id, all);
            return new FlushWorked(id, request.attempt(),
                copied.stream().mapToLong(rank -> RankFileMapFile.entryBytes(all.entry(rank.rank()))).sum());
          });
    });
  }

  /** Renames the containers of the dataset to their places; the leader knows that all nodes have copied. */
  public Future<Ack> publish(PublishContainers request) {
    OpenPrefix prefix = prefixes.open(request.prefix()).as(request.token());
    ContainerDrafts drafts = new ContainerDrafts(prefix.paths(), request.datasetId(), request.layout());
    return prefixes.locked().run("publish containers of dataset " + request.datasetId(), () ->
        PrefixFence.naming(prefix.paths(), prefix.user(), () -> {
          drafts.publish(request.count());
          return Ack.ACK;
        }));
  }

  /** Entries for the map. @throws ScrException WRONG_STATE if nothing is known here: the daemon was restarted */
  public Future<EntriesReply> entries(EntriesRequest of) {
    PackedRanks there = packed.get(of.datasetId());
    if (there == null) {
      throw new ScrException(Fault.WRONG_STATE,
          "node " + self + " does not know where its files of dataset " + of.datasetId() + " are in containers");
    }
    return Future.succeededFuture(new EntriesReply(of.ranks().stream().map(there::files).toList(),
        of.ranks().stream().map(there::start).toList(), there.layout().containerBytes(),
        there.layout().alignBytes()));
  }

  /** Copies files of this node's ranks out of containers into its cache, every byte checked. */
  public Future<Ack> unpack(FetchRanks request) {
    return fetches.fetch(request);
  }

  /** The dataset is complete in the prefix directory: its places are in the map. */
  public void end(int datasetId) {
    packed.remove(datasetId);
  }
}
