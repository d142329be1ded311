package io.vertxscr.service.phase;

import io.vertx.core.Future;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.flow.paths.NodePaths.Second;
import io.vertxscr.format.prefix.RankFileMapFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.DirectFiles;
import io.vertxscr.protocol.node.run.OutputProtected;
import io.vertxscr.service.Loop;
import io.vertxscr.service.Prefixes;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.LocalRun;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.storage.DatasetStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Completes a dataset in bypass mode. The files that ranks wrote to the prefix directory are read back, synced, and
 * listed. Several ranks may have written one file; so nothing is read before all ranks of all nodes have called, a node
 * reads each file once, and one of its ranks alone counts it. On the node's loop.
 */
public final class BypassService {
  private final Loop loop;
  private final Prefixes prefixes;
  private final DatasetStore store;
  private final ClaimService claims;

  /** Serves a node. */
  public BypassService(Loop loop, Prefixes prefixes, DatasetStore store, ClaimService claims) {
    this.loop = loop;
    this.prefixes = prefixes;
    this.store = store;
    this.claims = claims;
  }

  /** Completes when the dataset is complete in the prefix directory, which is its only place. */
  Future<CollectiveCalls.StepReplies> complete(LocalRun run, List<RankCall> ranks) {
    OpenDataset open = run.open();
    DatasetDescriptor dataset = open.descriptor();
    int id = dataset.id();
    WrittenFiles written = WrittenFiles.routed(open, ranks).withoutLists(ranks);
    return run.gather(Step.COMPLETE_OUTPUT, written.part(id))
        .compose(_ -> {
          // not before the gather: until then ranks of other nodes may write to the same files
          Future<List<RankFiles>> reading = readBack(run, id, written.ranks());
          List<String> nodes = run.nodes();
          return loop.blocking("look for the paths of dataset " + id, () -> claims.paths(nodes, written.ranks()))
              .compose(paths -> claims.claim(run, paths, Map.of()))
              .compose(seconds -> reading.map(read -> counted(read, seconds)))
              .transform((counted, failure) -> publish(run, dataset, counted, failure));
        })
        .onComplete((_, _) -> store.forget(id))
        .map(complete -> CollectiveCalls.StepReplies.same(PhaseService.reply(dataset, complete)));
  }

  /** All files of all ranks, each file read once. */
  private Future<List<RankFiles>> readBack(LocalRun run, int id, List<RankFiles> written) {
    DirectFiles files = new DirectFiles(prefixes.open(run.info().prefix()).paths(), id);
    Set<String> seen = new HashSet<>();
    List<Future<RankFiles>> ranks = written.stream()
        .map(rank -> new RankFiles(rank.rank(), rank.files().stream().filter(file -> seen.add(file.path())).toList()))
        .filter(rank -> !rank.files().isEmpty())
        .map(rank -> loop.patiently("read back dataset " + id + " rank " + rank.rank(), () -> files.readBack(rank)))
        .toList();
    return Future.join(ranks).map(_ -> {
      Map<String, FileMeta> read = new HashMap<>();
      ranks.forEach(rank -> rank.result().files().forEach(file -> read.put(file.path(), file)));
      return written.stream().map(rank -> new RankFiles(rank.rank(),
          rank.files().stream().map(file -> read.get(file.path())).toList())).toList();
    });
  }

  /** Returns the same files, marked where another rank counts them. */
  private static List<RankFiles> counted(List<RankFiles> read, List<Second> seconds) {
    Map<Integer, Set<String>> elsewhere = new HashMap<>();
    seconds.forEach(second ->
        elsewhere.computeIfAbsent(second.rank().part(), _ -> new HashSet<>()).add(second.path()));
    return read.stream().map(rank -> new RankFiles(rank.rank(), rank.files().stream().map(file ->
        elsewhere.getOrDefault(rank.rank(), Set.of()).contains(file.path()) ? file.asShared() : file).toList()))
        .toList();
  }

  /** The leader has the map written, for which it asks the nodes what they have registered. */
  private Future<OutputProtected> publish(
      LocalRun run, DatasetDescriptor dataset, List<RankFiles> ranks, Throwable failure) {
    List<RankFiles> good = failure == null ? ranks : List.of();
    good.forEach(files -> store.register(dataset.id(), files));
    long mapBytes = good.stream().mapToLong(RankFileMapFile::entryBytes).sum();
    return run.gather(Step.PUBLISHED, new Part.Published(dataset, RankFiles.totals(good), mapBytes,
            run.open().hasOverwritten(), PhaseService.done(dataset.id(), failure)), OutputProtected.class);
  }
}
