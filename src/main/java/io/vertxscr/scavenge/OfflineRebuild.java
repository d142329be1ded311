package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.format.prefix.RankFilemap;
import io.vertxscr.format.prefix.RankFilemapFile;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.redundancy.DividedRestore;
import io.vertxscr.redundancy.RebuildPlan;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.DirectRanges;
import io.vertxscr.redundancy.range.Layouts;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.storage.AtomicFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Rebuilds missing files of a scavenged dataset below its directory. Each rank is split into parts for a few threads,
 * so that one large file is as fast as many small ones. What is in memory is a piece of a thread.
 */
final class OfflineRebuild {
  /** Enough for a thread, little enough that all threads have something to do until the end. */
  static final long PART_BYTES = 16L << 20;

  private final PrefixPaths paths;
  private final DatasetScan scan;
  private final UnaryOperator<RangeSource> through;

  OfflineRebuild(PrefixPaths paths, DatasetScan scan) {
    this(paths, scan, UnaryOperator.identity());
  }

  /** @param through sees all reading; for tests */
  OfflineRebuild(PrefixPaths paths, DatasetScan scan, UnaryOperator<RangeSource> through) {
    this.paths = paths;
    this.scan = scan;
    this.through = through;
  }

  /** @return the files, durable and checked. @throws ScrException CORRUPT if other bytes come out; NO_SPACE, IO */
  List<RankFiles> run(List<RankPlan> plans) {
    List<DividedRestore> ranks = plans.stream().map(plan -> rebuild(plan).divided(PART_BYTES)).toList();
    try {
      Workers.each(ranks.stream().flatMap(rank -> rank.parts().stream()).toList());
      return Workers.map(ranks, DividedRestore::finish);
    } finally {
      ranks.forEach(DividedRestore::close);
    }
  }

  /** Rebuilds the files, and adds them to the filemaps of these ranks, beside remaining redundancy. */
  List<RankFiles> runAndNote(List<RankPlan> plans) {
    List<RankFiles> rebuilt = run(plans);
    for (RankFiles files : rebuilt) {
      List<StoredRedundancy> redundancy = scan.redundancy().stream().filter(file -> file.rank() == files.rank())
          .map(DatasetScan.SetFile::file).toList();
      AtomicFile.replace(paths.dataset(scan.descriptor().id()).resolve(files.rank() + ".scrfilemap"),
          RankFilemapFile.encode(new RankFilemap(scan.descriptor(), scan.worldRanks(),
              files.files().size() + redundancy.size(), files, redundancy)));
    }
    return rebuilt;
  }

  private RestoreJob rebuild(RankPlan plan) {
    RedundancySet set = plan.set();
    RedundancyHeader header = Protection.describers(set, plan.rank()).stream()
        .flatMap(rank -> scan.redundancy(rank, set).stream()).findFirst()
        .orElseThrow(() -> new ScrException(Fault.INTERNAL, "nobody describes rank " + plan.rank())).header();
    Path directory = paths.dataset(scan.descriptor().id());
    var rebuild = new RebuildPlan(header, scan.scheme(), plan.rank(),
        plan.members().stream().map(Member::filesNode).toList(),
        plan.members().stream().map(Member::redundancyNode).toList());
    var source = new DirectRanges(Set.of(DatasetScan.HERE), new OfSet(scan, set, directory), Fault.CORRUPT);
    return RestoreJob.rebuild(rebuild, through.apply(source), directory);
  }

  /** Files and redundancy of the members of one set: a rank may have others that belong to another set. */
  private record OfSet(DatasetScan scan, RedundancySet set, Path place) implements Layouts {
    @Override
    public Optional<RankFiles> of(int datasetId, int rank) {
      return scan.layout(rank, set);
    }

    @Override
    public Optional<Path> directory(int datasetId, String node) {
      return Optional.of(place);
    }

    @Override
    public Optional<String> redundancy(int datasetId, int rank) {
      return scan.redundancy(rank, set).map(file -> file.file().name());
    }
  }
}
