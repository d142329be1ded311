package io.vertxscr.service.run;

import io.vertxscr.flow.gather.RankCall;
import io.vertxscr.flow.gather.Step;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.protocol.app.CompleteOutputRequest;
import io.vertxscr.protocol.app.NamedFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Files placed by a client: the list of complete-output, and the list returned in a restart. */
public final class ListedFiles {
  /** Longest list that a restart sends, in characters of its paths and names; more are found by route. */
  private static final int MAX_LIST_CHARS = 4 << 20;

  private ListedFiles() {}

  /** The call that a message stands for; its files are not checked yet. */
  public static RankCall call(CompleteOutputRequest request) {
    String directory = CacheNames.directory(request.rank()) + "/";
    List<FileMeta> files = request.files().orElse(List.of()).stream()
        .map(file -> new FileMeta(directory + file.name(), file.path(), 0, OptionalInt.empty())).toList();
    return new RankCall(request.rank(), Step.COMPLETE_OUTPUT, "", 0, request.valid(), files,
        request.trouble().orElse(""));
  }

  /**
   * Holds a list against the rules by which route places files. Blocking: links in the prefix are followed.
   *
   * @param listed absolute paths, in the order in which the client named them
   * @return the same files with paths relative to the prefix
   * @throws ScrException OUTSIDE_PREFIX or BAD_REQUEST, naming the file
   */
  public static RankFiles check(PathRules rules, int rank, List<FileMeta> listed) {
    CacheNames names = new CacheNames(rank);
    Set<String> paths = new HashSet<>();
    List<FileMeta> checked = new ArrayList<>(listed.size());
    for (FileMeta file : listed) {
      String path = rules.place("/", file.path()).relative();
      if (!paths.add(path)) {
        throw refused(rank, file, "is listed before, by this or another name");
      }
      String name = names.next(path);
      if (!name.equals(file.name())) {
        throw refused(rank, file, "has the name " + file.name() + " in the cache, by the rule it is " + name);
      }
      checked.add(new FileMeta(name, path, 0, OptionalInt.empty()));
    }
    return new RankFiles(rank, checked);
  }

  /** Returns a rank's files for a restart; empty if a list cannot express them. */
  public static Optional<List<NamedFile>> of(RankFiles files) {
    String directory = CacheNames.directory(files.rank()) + "/";
    long chars = files.files().stream().mapToLong(file -> file.name().length() + file.path().length()).sum();
    if (chars > MAX_LIST_CHARS || !files.files().stream().allMatch(file -> file.name().startsWith(directory))) {
      return Optional.empty();
    }
    return Optional.of(files.files().stream()
        .map(file -> new NamedFile(file.path(), file.name().substring(directory.length()))).toList());
  }

  private static ScrException refused(int rank, FileMeta file, String why) {
    return new ScrException(Fault.BAD_REQUEST, "rank " + rank + ": file " + file.path() + " " + why);
  }
}
