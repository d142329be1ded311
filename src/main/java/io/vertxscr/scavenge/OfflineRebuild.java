package io.vertxscr.scavenge;

import io.vertxscr.flow.RestorePlan.Member;
import io.vertxscr.flow.RestorePlan.RankPlan;
import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.Protection;
import io.vertxscr.prefix.PrefixPaths;
import io.vertxscr.redundancy.RebuildPlan;
import io.vertxscr.redundancy.RestoreJob;
import io.vertxscr.redundancy.range.DirectRanges;
import io.vertxscr.redundancy.range.Layouts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes missing files of a scavenged dataset again, below its directory, in parallel over the ranks. */
final class OfflineRebuild {
  private final PrefixPaths paths;
  private final DatasetScan scan;

  OfflineRebuild(PrefixPaths paths, DatasetScan scan) {
    this.paths = paths;
    this.scan = scan;
  }

  /** @return the files, durable and checked. @throws ScrException CORRUPT if other bytes come out; NO_SPACE, IO */
  List<RankFiles> run(List<RankPlan> plans) {
    return Workers.map(plans, this::rebuild);
  }

  private RankFiles rebuild(RankPlan plan) {
    RedundancySet set = plan.set();
    RedundancyHeader header = Protection.describers(set, plan.rank()).stream()
        .flatMap(rank -> scan.redundancy(rank, set).stream()).findFirst()
        .orElseThrow(() -> new ScrException(Fault.INTERNAL, "nobody describes rank " + plan.rank())).header();
    Path directory = paths.dataset(scan.descriptor().id());
    var rebuild = new RebuildPlan(header, scan.scheme(), plan.rank(),
        plan.members().stream().map(Member::filesNode).toList(),
        plan.members().stream().map(Member::redundancyNode).toList());
    var source = new DirectRanges(Set.of(DatasetScan.HERE), new OfSet(scan, set, directory), Fault.CORRUPT);
    return RestoreJob.rebuild(rebuild, source, directory).run();
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
