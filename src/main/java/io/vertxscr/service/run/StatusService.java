package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.flow.restart.CacheGap;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.NodeInfo;
import io.vertxscr.model.Scheme;
import io.vertxscr.protocol.Wire;
import io.vertxscr.protocol.app.StatusRequest;
import io.vertxscr.protocol.node.Ack;
import io.vertxscr.protocol.node.NodeVerb;
import io.vertxscr.protocol.node.run.OpenWaits;
import io.vertxscr.protocol.node.scrub.ScrubView;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Membership;
import io.vertxscr.service.NodeBus;
import io.vertxscr.storage.DatasetStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Status report: cluster, run and its waits, the datasets of this node and their protection. */
public final class StatusService {
  private final Loop loop;
  private final NodeBus bus;
  private final Membership membership;
  private final RunService runs;
  private final DatasetStore store;
  private final Function<DatasetRecord, Optional<ScrubView.ScrubbedDataset>> scrubs;
  private final ClusterOverview overview;

  /**
   * Serves a node.
   *
   * @param scrubs what is known of the looks at a dataset of this node
   * @param groups failure groups of all nodes, as far as they are known
   */
  public StatusService(Loop loop, NodeBus bus, Membership membership, RunService runs, DatasetStore store,
      Function<DatasetRecord, Optional<ScrubView.ScrubbedDataset>> scrubs, GroupDescriptors groups) {
    this.loop = loop;
    this.bus = bus;
    this.membership = membership;
    this.runs = runs;
    this.store = store;
    this.scrubs = scrubs;
    this.overview = new ClusterOverview(loop, bus, membership, groups);
  }

  /** The status of this node, with what its leader can say of the run. */
  public Future<JsonObject> status(StatusRequest request) {
    return request.gaps().orElse(false) ? ofCluster().map(ClusterStatus::status)
        : waits().map(waits -> status(waits, List.of()));
  }

  /**
   * What all nodes say together.
   *
   * @param status as {@code scr status --json} has it
   * @param caches that it was drawn from
   */
  public record ClusterStatus(JsonObject status, List<Inventory> caches) {}

  /** The status with what all nodes say, and their caches. */
  public Future<ClusterStatus> ofCluster() {
    Future<OpenWaits> waits = waits();
    Future<List<Inventory>> caches = caches();
    return Future.all(waits, caches).compose(_ -> overview.of(waits.result(), caches.result()))
        .map(cluster -> new ClusterStatus(
            status(waits.result(), CacheGap.in(caches.result())).put("cluster", cluster), caches.result()));
  }

  private Future<OpenWaits> waits() {
    return bus.askLeader(NodeVerb.WAITS, Ack.ACK, OpenWaits.class)
        .otherwise(failure -> new OpenWaits("the leader cannot be asked: " + failure.getMessage(), List.of()));
  }

  /** The same, with what the caches of all nodes hold if that is wanted. */
  public Future<JsonObject> statusAndCaches(StatusRequest request) {
    return status(request).compose(status -> request.caches().orElse(false)
        ? caches().map(all -> status.put("caches", new JsonArray(all.stream().map(Wire::write).toList())))
        : Future.succeededFuture(status));
  }

  /** Returns the inventories of all nodes; a node that does not answer is gone. */
  private Future<List<Inventory>> caches() {
    List<Future<Optional<Inventory>>> asked = membership.nodes().stream().map(node ->
        bus.ask(node.name(), NodeVerb.INVENTORY, Ack.ACK, Inventory.class).map(Optional::of)
            .otherwise(Optional.empty())).toList();
    return Future.all(asked).map(_ -> asked.stream().flatMap(answer -> answer.result().stream()).toList());
  }

  private JsonObject status(OpenWaits waits, List<CacheGap> gaps) {
    JsonObject status = new JsonObject()
        .put("node", membership.self().name())
        .put("leader", membership.leader().name())
        .put("nodes", new JsonArray(membership.nodes().stream().map(NodeInfo::name).toList()))
        .put("waits", new JsonObject().put("for", waits.text()).put("missing", new JsonArray(waits.missing())))
        .put("remarks", new JsonArray(Stream.of(waits.remarks().stream(), prefixRemark().stream(),
            store.remark().stream()).flatMap(remarks -> remarks).toList()))
        .put("flushes", new JsonArray(waits.flushes().stream().map(Wire::write).toList()))
        .put("drains", new JsonArray(waits.drains().stream().map(Wire::write).toList()))
        .put("gaps", new JsonArray(gaps.stream().filter(this::isSettled).map(StatusService::gap).toList()))
        .put("datasets", new JsonArray(store.list().stream().map(this::dataset).toList()));
    runs.run().ifPresent(run -> status.put("run", run(run)));
    return status;
  }

  /** What hangs on this node; of the leader it is among its own remarks. */
  private Optional<String> prefixRemark() {
    String self = membership.self().name();
    return membership.leader().name().equals(self) ? Optional.empty() : loop.prefix().remark(self);
  }

  /** Whether a gap is final. During a run all its nodes are present, and its newest dataset may be partly written. */
  private boolean isSettled(CacheGap gap) {
    return runs.run().filter(run -> !run.isOver() && !run.isFinished()).isEmpty()
        || gap.dataset().id() < store.newestId();
  }

  private static JsonObject gap(CacheGap gap) {
    return new JsonObject().put("dataset", gap.dataset().id()).put("name", gap.dataset().name())
        .put("missing", new JsonArray(gap.missing())).put("lost", gap.lost());
  }

  private JsonObject run(LocalRun run) {
    JsonObject json = new JsonObject()
        .put("run", run.info().run())
        .put("prefix", run.info().prefix())
        .put("ranks", run.info().map().size())
        .put("ranksHere", new JsonArray(run.sessions().stream().map(LocalRun.RankSession::rank).toList()))
        .put("warnings", new JsonArray(run.shortfalls()))
        .put("missingHere", new JsonArray(run.localGather().missing()))
        .put("lostNodes", new JsonArray(runs.lostNodes()))
        .put("finished", run.isFinished());
    run.over().ifPresent(cause -> json.put("over", cause.getMessage()));
    return json;
  }

  private JsonObject dataset(DatasetRecord record) {
    JsonObject json = new JsonObject()
        .put("dataset", record.descriptor().id())
        .put("name", record.descriptor().name())
        .put("prefix", record.origin().prefix())
        .put("scheme", record.scheme().name())
        .put("store", record.cache().base())
        .put("bytesHere", record.ranks().stream().mapToLong(rank -> rank.files().bytes()).sum())
        .put("ranksHere", new JsonArray(record.ranks().stream().map(rank -> rank.files().rank()).toList()))
        .put("protection", protection(record))
        .put("flush", record.flush().name());
    scrubs.apply(record).ifPresent(scrub -> {
      JsonObject looked = Wire.write(scrub);
      looked.remove("dataset");
      looked.remove("name");
      json.put("scrub", looked);
    });
    return json;
  }

  private static String protection(DatasetRecord record) {
    if (record.scheme() == Scheme.SINGLE) {
      return "none: scheme SINGLE";
    }
    if (record.ranks().stream().anyMatch(rank -> rank.set().size() == 1)) {
      return "none: no rank on another node to protect with";
    }
    return record.ranks().stream().map(RankRecord::redundancy).allMatch(Optional::isPresent)
        ? "protected" : "pending";
  }
}
