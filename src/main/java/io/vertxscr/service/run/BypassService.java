package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.flow.Part;
import io.vertxscr.flow.Step;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.DirectFiles;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.protocol.node.Running.Protected;
import io.vertxscr.service.Loop;
import io.vertxscr.storage.DatasetStore;
import java.nio.file.Path;
import java.util.List;

/**
 * Completes a dataset whose files the ranks have written to the prefix directory, past the cache: they are read back,
 * made durable, and listed. On the node's loop.
 */
final class BypassService {
  private final Loop loop;
  private final CallService calls;
  private final DatasetStore store;

  BypassService(Loop loop, CallService calls, DatasetStore store) {
    this.loop = loop;
    this.calls = calls;
    this.store = store;
  }

  /** Completes when the dataset is complete in the prefix directory, which is its only place. */
  Future<CallService.Answers> complete(LocalRun run, Future<PhaseService.Measured> measuring) {
    DatasetDescriptor dataset = run.open().descriptor();
    int id = dataset.id();
    return measuring.compose(measured -> calls.gather(run, Step.COMPLETE_OUTPUT, measured.part(id))
        .compose(json -> {
          DatasetDescriptor known = dataset.with(json.as(Totals.class));
          return readBack(run, id, measured.ranks())
              .transform((ranks, failure) -> publish(run, known, ranks, failure));
        }))
        .onComplete((_, _) -> store.forget(id))
        .map(complete -> CallService.Answers.same(PhaseService.reply(dataset, complete)));
  }

  private Future<List<RankFiles>> readBack(LocalRun run, int id, List<RankFiles> measured) {
    DirectFiles files = new DirectFiles(new PrefixPaths(Path.of(run.info().prefix())), id);
    List<Future<RankFiles>> ranks = measured.stream().map(rank ->
        loop.blocking("read back dataset " + id + " rank " + rank.rank(), () -> files.readBack(rank))).toList();
    return Future.join(ranks).map(_ -> ranks.stream().map(Future::result).toList());
  }

  /** The leader has the map written, for which it asks the nodes what they have registered. */
  private Future<Protected> publish(LocalRun run, DatasetDescriptor dataset, List<RankFiles> ranks, Throwable failure) {
    List<RankFiles> good = failure == null ? ranks : List.of();
    good.forEach(files -> store.register(dataset.id(), files));
    long mapBytes = good.stream().mapToLong(RankFileMapFile::entryBytes).sum();
    return calls.gather(run, Step.PUBLISHED,
        new Part.Published(dataset, mapBytes, run.open().hasOverwritten(), PhaseService.done(dataset.id(), failure)))
        .map(json -> json.as(Protected.class));
  }
}
