package io.vertxscr.service.phase;

import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Limits;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.Seal;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.service.cache.Capacity;
import io.vertxscr.service.run.ListedFiles;
import io.vertxscr.service.run.OpenDataset;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.FileIdentity;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.RankInMemory;
import io.vertxscr.storage.Sealing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files that the ranks of this node claim to have written, and objections. Immutable.
 *
 * @param ranks the files of each, their paths relative to the prefix
 * @param invalid ranks that call their files not valid
 * @param mistakes of other ranks, or what is wrong with the files of these, in sentences
 * @param refusal why the dataset of this node is refused, independent of its ranks; empty if it is not
 * @param seals of the files, by rank, as far as writes since they were measured would show
 */
record WrittenFiles(List<RankFiles> ranks, List<Integer> invalid, Map<Integer, String> mistakes, String refusal,
    Map<Integer, RankSeals> seals) {
  /** Files that were routed, as far as no rank lists others. */
  static WrittenFiles routed(OpenDataset open, List<RankCall> calls) {
    Map<Integer, String> untaken = calls.stream().filter(call -> !call.trouble().isEmpty())
        .collect(Collectors.toMap(RankCall::rank, RankCall::trouble));
    return new WrittenFiles(calls.stream().map(call -> open.written(call.rank())).toList(),
        calls.stream().filter(call -> !call.valid() && call.trouble().isEmpty()).map(RankCall::rank).toList(), untaken,
        "", Map.of());
  }

  /** Whether there is none. */
  boolean isEmpty() {
    return ranks.stream().allMatch(rank -> rank.files().isEmpty());
  }

  /** Past the cache, where a list is a mistake. */
  WrittenFiles withoutLists(List<RankCall> calls) {
    Map<Integer, String> wrong = new TreeMap<>(mistakes);
    calls.stream().filter(call -> !call.files().isEmpty()).forEach(call -> wrong.put(
        call.rank(), "it lists files that it has placed itself; past the cache they are placed by route"));
    return new WrittenFiles(ranks, invalid, wrong, refusal, seals);
  }

  /** Returns these with the lists of ranks that have placed their files themselves. Blocking. */
  WrittenFiles listed(PathRules rules, List<RankCall> calls) {
    Map<Integer, String> wrong = new TreeMap<>(mistakes);
    List<RankFiles> placed = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      placed.add(placed(rules, calls.get(i), ranks.get(i), wrong));
    }
    return new WrittenFiles(placed, invalid, wrong, refusal, seals);
  }

  /** Returns the rank's files, routed or listed; an invalid list makes the rank invalid. */
  private static RankFiles placed(PathRules rules, RankCall call, RankFiles routed, Map<Integer, String> wrong) {
    if (call.files().isEmpty()) {
      return routed;
    }
    if (!routed.files().isEmpty()) {
      wrong.put(call.rank(), "it lists files, and routed others by messages; one phase knows one way");
      return routed;
    }
    try {
      return ListedFiles.check(rules, call.rank(), call.files());
    } catch (ScrException e) {
      wrong.put(call.rank(), e.getMessage());
      return routed;
    }
  }

  /**
   * Returns these with their current sizes, before anybody reads them. A missing file makes its rank invalid. Blocking.
   *
   * @throws ScrException IO: nobody can tell what the ranks have written
   */
  WrittenFiles measured(Path directory, Sealing sealing) {
    Map<Integer, String> wrong = new TreeMap<>(mistakes);
    Map<Integer, RankSeals> sealed = new TreeMap<>();
    List<RankFiles> measured = new ArrayList<>();
    for (RankFiles routed : ranks) {
      List<FileMeta> files = new ArrayList<>();
      List<Optional<Seal>> ofFiles = new ArrayList<>();
      for (FileMeta file : routed.files()) {
        Path path = NodeDirectories.resolve(directory, file.name());
        FileChecks.twice(() -> FileIdentity.look(path)).ifPresentOrElse(found -> {
          files.add(new FileMeta(
              file.name(), file.path(), found.seal().bytes(), file.crc(), Optional.of(found.stamp())));
          ofFiles.add(sealing.of(found));
        }, () -> wrong.putIfAbsent(
            routed.rank(), "it routed " + file.path() + " but wrote no file at " + path));
      }
      measured.add(new RankFiles(routed.rank(), files));
      sealed.put(routed.rank(), sealing.seals(ofFiles, Optional.empty()));
    }
    return new WrittenFiles(measured, invalid, wrong, refusal, sealed);
  }

  /**
   * Reads the files of ranks that are small, as long as all of them are. They must be measured. Blocking.
   *
   * @param mostBytes of all ranks together
   * @return by rank
   */
  Map<Integer, RankInMemory> small(Path directory, int mostBytes) {
    Map<Integer, RankInMemory> small = new TreeMap<>();
    long bytesLeft = bad().isEmpty() ? mostBytes : 0;
    int filesLeft = Limits.MAX_SMALL_FILES;
    for (RankFiles rank : ranks) {
      if (bytesLeft > 0 && rank.bytes() <= bytesLeft && rank.files().size() <= filesLeft) {
        bytesLeft -= rank.bytes();
        filesLeft -= rank.files().size();
        RankInMemory.read(directory, rank).ifPresent(files -> small.put(rank.rank(), files));
      }
    }
    return small;
  }

  /** Returns these; of ranks that call files not valid it is known whether their store was full. Blocking. */
  WrittenFiles in(Capacity.Requirement room) {
    Optional<String> full = invalid.isEmpty() ? Optional.empty() : room.lacked(RankFiles.totals(ranks).bytes());
    if (full.isEmpty()) {
      return this;
    }
    Map<Integer, String> wrong = new TreeMap<>(mistakes);
    invalid.forEach(rank -> wrong.put(rank, full.get()));
    return new WrittenFiles(ranks, invalid, wrong, refusal, seals);
  }

  /** Returns these with a refusal of their own. */
  WrittenFiles refused(String why) {
    return new WrittenFiles(ranks, invalid, mistakes, why, seals);
  }

  /** Returns the contribution to the leader's gather. */
  Part.Complete part(int datasetId) {
    String why = invalid.isEmpty() ? mistakes.values().stream().findFirst().orElse("")
        : "the application says that its files are not valid"
            + invalid.stream().flatMap(rank -> Stream.ofNullable(mistakes.get(rank))).findFirst().map("; "::concat)
            .orElse("");
    return new Part.Complete(datasetId, List.copyOf(bad()), why, refusal, RankFiles.totals(ranks));
  }

  private Collection<Integer> bad() {
    Collection<Integer> bad = new TreeSet<>(invalid);
    bad.addAll(mistakes.keySet());
    return bad;
  }
}
