package io.vertxscr.service.restart;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.DoneReply;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.NamedFile;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.node.RunInfo.Restartable;
import io.vertxscr.protocol.node.run.RestartOffer;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.CompletedNames;
import io.vertxscr.service.run.ListedFiles;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.service.run.OpenShards;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The node's part in the calls around a restart, and in finalize. On the node's loop. */
public final class RestartService {
  private final String self;
  private final DatasetStore store;
  private final FetchService fetches;
  private final CompletedNames names;

  /** Serves a node. */
  public RestartService(String self, DatasetStore store, FetchService fetches, CompletedNames names) {
    this.self = self;
    this.names = names;
    this.store = store;
    this.fetches = fetches;
  }

  public Future<CollectiveCalls.StepReplies> have(LocalRun run, List<RankCall> ranks) {
    return run.gather(Step.HAVE_RESTART, new Part.Have(run.hasSelected()), RestartOffer.class).map(offer -> {
      run.info(run.info().with(offer.restart()));
      run.cache().offered(run.info());
      HaveRestartReply reply = offer.restart()
          .map(found -> HaveRestartReply.of(found.datasetId(), found.name())).orElse(HaveRestartReply.NONE);
      offer.remarks().ifPresent(run::tell);
      return new CollectiveCalls.StepReplies(_ -> reply, offer.restart().isPresent());
    });
  }

  public Future<CollectiveCalls.StepReplies> start(LocalRun run, List<RankCall> ranks) {
    boolean inPrefix = run.info().policy().fetch().globalRestart();
    List<Integer> lacking = inPrefix ? List.of() : run.info().restart().map(offered -> expected(offered, ranks).stream()
        .filter(rank -> readable(offered.datasetId()).stream()
            .flatMap(found -> found.ranks().stream()).noneMatch(files -> files.rank() == rank)).toList())
        .orElse(List.of());
    return offer(run, Step.START_RESTART, lacking).map(offer -> {
      Restartable restart = offer.orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "nothing to restart from"));
      Path prefix = store.directories().path(run.info().prefix());
      Optional<Readable> readable = readable(restart.datasetId());
      if (readable.isEmpty() && !inPrefix && restart.shards().isEmpty()) {
        throw new ScrException(Fault.NO_SUCH_DATASET,
            "dataset " + restart.datasetId() + " is not on this node any more");
      }
      // a node that has no files of it, because other ranks wrote it than there are now, knows no more than its name
      Readable found = readable.orElseGet(() -> new Readable(new DatasetDescriptor(restart.datasetId(), restart.name(),
          DatasetFlags.CHECKPOINT, 0, restart.createdUs(), new Job("", "", "", ""),
          DatasetDescriptor.Totals.NONE), inPrefix ? prefix : store.directory(restart.datasetId()), !inPrefix,
          List.of()));
      OpenDataset open = OpenDataset.restart(found.dataset(), prefix, found.directory(), found.ranks(), inPrefix);
      restart.shards().map(holders -> shards(run, holders, found)).ifPresent(open::share);
      run.open(open);
      return new CollectiveCalls.StepReplies(rank -> {
        StartReply reply = new StartReply(restart.datasetId(), restart.name(), found.directory(rank).toString(),
            OptionalInt.empty(), inPrefix ? Optional.empty() : found.list(rank));
        return restart.shards().map(holders -> reply.writtenBy(holders.size())).orElse(reply);
      }, false);
    });
  }

  /** Ranks whose files must be here: those of the calls, or those that wrote shards which are here. */
  private List<Integer> expected(Restartable offered, List<RankCall> calls) {
    return offered.shards().map(holders -> holders.ranksOn(self))
        .orElseGet(() -> calls.stream().map(RankCall::rank).toList());
  }

  private OpenShards shards(LocalRun run, RankMap holders, Readable found) {
    OpenShards shards = new OpenShards(holders, holders.size() == run.info().map().size());
    List<Integer> here = holders.ranksOn(self);
    shards.catalog().add(self, found.ranks().stream().filter(files -> here.contains(files.rank())).toList());
    return shards;
  }

  /** A dataset that ranks of this node can read, in the cache or in the prefix directory. */
  private record Readable(DatasetDescriptor dataset, Path directory, boolean cached, List<RankFiles> ranks) {
    Path directory(int rank) {
      return cached ? directory.resolve(CacheNames.directory(rank)) : directory;
    }

    /** Returns the rank's files for the client; files read in place are found by route. */
    Optional<List<NamedFile>> list(int rank) {
      return ranks.stream().filter(files -> cached && files.rank() == rank).findFirst().flatMap(ListedFiles::of);
    }
  }

  private Optional<Readable> readable(int datasetId) {
    return store.find(datasetId).map(record -> new Readable(record.descriptor(), store.directory(datasetId), true,
            record.ranks().stream().map(RankRecord::files).toList()))
        .or(() -> fetches.inPlace(datasetId).map(found ->
            new Readable(found.dataset(), found.prefix(), false, found.ranks())));
  }

  public Future<CollectiveCalls.StepReplies> complete(LocalRun run, List<RankCall> ranks) {
    List<Integer> invalid = ranks.stream().filter(call -> !call.valid()).map(RankCall::rank).toList();
    OpenDataset open = run.open();
    return offer(run, Step.COMPLETE_RESTART, invalid).map(_ -> {
      run.restarted();
      return CollectiveCalls.StepReplies.same(new CompleteReply(open.descriptor().id(), open.descriptor().name()));
    });
  }

  public Future<CollectiveCalls.StepReplies> finish(LocalRun run, List<RankCall> ranks) {
    return offer(run, Step.FINALIZE, List.of()).map(_ -> CollectiveCalls.StepReplies.same(new DoneReply()));
  }

  /**
   * Passes the application's choice of a checkpoint to the leader, which does all. Before the application has
   * restarted, this selects what have-restart will offer.
   */
  public Future<CollectiveCalls.StepReplies> current(LocalRun run, List<RankCall> ranks) {
    Part.Named part = new Part.Named(ranks.getFirst().name(), !run.hasRestarted(), false);
    return run.gather(Step.CURRENT, part, RestartOffer.class).map(offer -> {
      run.info(run.info().with(offer.restart()));
      run.select();
      offer.remarks().ifPresent(run::tell);
      return CollectiveCalls.StepReplies.same(new DoneReply());
    });
  }

  /** DROP, DELETE: the leader does all. */
  public CollectiveCalls.StepAction removal(Step step) {
    return (run, ranks) -> {
      String name = ranks.getFirst().name();
      return run.gather(step, new Part.Named(name, false, names.has(run.info().prefix(), name)))
          .map(_ -> CollectiveCalls.StepReplies.same(new DoneReply()));
    };
  }

  private Future<Optional<Restartable>> offer(LocalRun run, Step step, List<Integer> invalid) {
    return run.gather(step, new Part.InvalidRanks(invalid), RestartOffer.class).map(RestartOffer::restart);
  }
}
