package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.Part;
import io.vertxscr.flow.RankCall;
import io.vertxscr.flow.Step;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Job;
import io.vertxscr.model.ScrException;
import io.vertxscr.protocol.app.CompleteReply;
import io.vertxscr.protocol.app.EmptyReply;
import io.vertxscr.protocol.app.HaveRestartReply;
import io.vertxscr.protocol.app.StartReply;
import io.vertxscr.protocol.node.RunInfo.Restartable;
import io.vertxscr.protocol.node.Running.Offer;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The node's part in the calls around a restart, and in finalize. On the node's loop. */
public final class RestartService {
  private final CallService calls;
  private final DatasetStore store;

  /** Serves a node. */
  public RestartService(CallService calls, DatasetStore store) {
    this.calls = calls;
    this.store = store;
  }

  public Future<CallService.Answers> have(LocalRun run, List<RankCall> ranks) {
    return offer(run, Step.HAVE_RESTART, List.of()).map(offer -> {
      run.info(run.info().with(offer));
      run.cache().offered(run.info());
      HaveRestartReply reply = offer.map(found -> new HaveRestartReply(
          true, OptionalInt.of(found.datasetId()), Optional.of(found.name()))).orElse(HaveRestartReply.NONE);
      return new CallService.Answers(_ -> reply, offer.isPresent());
    });
  }

  public Future<CallService.Answers> start(LocalRun run, List<RankCall> ranks) {
    boolean inPrefix = run.info().policy().fetch().globalRestart();
    List<Integer> lacking = inPrefix ? List.of() : run.info().restart().map(offered -> ranks.stream()
        .map(RankCall::rank).filter(rank -> store.find(offered.datasetId()).flatMap(record -> record.rank(rank))
            .isEmpty()).toList()).orElse(List.of());
    return offer(run, Step.START_RESTART, lacking).map(offer -> {
      Restartable restart = offer.orElseThrow(() -> new ScrException(Fault.NO_SUCH_DATASET, "nothing to restart from"));
      Optional<DatasetRecord> record = store.find(restart.datasetId());
      if (record.isEmpty() && !inPrefix) {
        throw new ScrException(Fault.NO_SUCH_DATASET,
            "dataset " + restart.datasetId() + " is not on this node any more");
      }
      // a node that has no files of it, because other ranks wrote it than there are now, knows no more than its name
      DatasetDescriptor descriptor = record.map(DatasetRecord::descriptor).orElseGet(() -> new DatasetDescriptor(
          restart.datasetId(), restart.name(), DatasetFlags.CHECKPOINT, 0, restart.createdUs(),
          new Job("", "", "", ""), DatasetDescriptor.Totals.NONE));
      run.open(OpenDataset.restart(descriptor, Path.of(run.info().prefix()),
          record.stream().flatMap(held -> held.ranks().stream()).map(RankRecord::files).toList(), inPrefix));
      return new CallService.Answers(rank -> new StartReply(restart.datasetId(), restart.name(),
          store.directory(restart.datasetId(), rank).toString(), OptionalInt.empty(), inPrefix ? Optional.empty()
          : record.flatMap(held -> held.rank(rank)).flatMap(found -> ListedFiles.of(found.files()))), false);
    });
  }

  public Future<CallService.Answers> complete(LocalRun run, List<RankCall> ranks) {
    List<Integer> invalid = ranks.stream().filter(call -> !call.valid()).map(RankCall::rank).toList();
    OpenDataset open = run.open();
    return offer(run, Step.COMPLETE_RESTART, invalid).map(_ -> CallService.Answers.same(
        new CompleteReply(open.descriptor().id(), open.descriptor().name())));
  }

  public Future<CallService.Answers> finish(LocalRun run, List<RankCall> ranks) {
    return offer(run, Step.FINALIZE, List.of()).map(_ -> CallService.Answers.same(new EmptyReply()));
  }

  /** CURRENT, DROP, DELETE: the leader does all. */
  public CallService.Work named(Step step) {
    return (run, ranks) -> calls.gather(run, step, new Part.Named(ranks.getFirst().name()))
        .map(_ -> CallService.Answers.same(new EmptyReply()));
  }

  private Future<Optional<Restartable>> offer(LocalRun run, Step step, List<Integer> invalid) {
    return calls.gather(run, step, new Part.Restart(invalid)).map(json -> json.as(Offer.class).restart());
  }
}
