package io.vertxscr.cli.scr;

import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_flush_file}: where the datasets of the last run are, for scripts. */
@Command(sortOptions = false, exitCodeOnInvalidInput = Front.FAILED, description = {
    "Answer from the flush file of a prefix directory. Exit code 1 for none, no, or not known."})
final class FlushFileFront extends DirectoryFront {
  @Option(names = {"-o", "--list-output"}, description = "Print the numbers of output datasets, ascending.")
  private boolean listOutput;

  @Option(names = {"-c", "--list-ckpt"}, description = "Print the numbers of checkpoints, descending.")
  private boolean listCheckpoints;

  @Option(names = {"-b", "--before"}, paramLabel = "ID", description = "Of these lists, only those before this one.")
  private int before;

  @Option(names = {"-n", "--need-flush", "--needflush"}, paramLabel = "ID", description =
      "Exit with 0 if the dataset is not in the prefix directory.")
  private Integer needFlush;

  @Option(names = {"-l", "--latest"}, description = "Print the number of the newest dataset.")
  private boolean latest;

  @Option(names = {"-L", "--location"}, paramLabel = "ID", description =
      "Print where the dataset is: SYNC_FLUSHING, FLUSHING, PFS or CACHE.")
  private Integer location;

  @Option(names = {"-s", "--name"}, paramLabel = "ID", description = "Print the name of the dataset.")
  private Integer name;

  @Option(names = {"-r", "--resume"}, description = "Refused: 'scr scavenge --id ID' ends a flush that was cut off.")
  private boolean resume;

  @Option(names = {"-S", "--summary"}, description =
      "Refused: 'scr index --add ID' writes the summary where all files are there.")
  private boolean summary;

  FlushFileFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    PrefixPaths paths = paths();
    if (resume || summary) {
      throw wrong((resume ? "--resume" : "--summary") + " is not here: type scr " + (resume ? "scavenge --id "
          : "index --add ") + (name == null ? "ID" : name) + " --prefix " + paths.prefix());
    }
    long asked = Stream.of(listOutput, listCheckpoints, needFlush != null, latest, location != null, name != null)
        .filter(given -> given).count();
    if (asked > 1) {
      throw wrong("one thing at a time");
    }
    FlushStatus status = new FlushFileStore(paths, reader()).read();
    if (needFlush != null) {
      return status.find(needFlush).filter(entry -> !entry.locations().contains(Location.PFS)).isPresent() ? 0 : FAILED;
    }
    Optional<String> answer = answer(status);
    answer.ifPresent(out()::println);
    return answer.isPresent() ? 0 : FAILED;
  }

  private Optional<String> answer(FlushStatus status) {
    if (listOutput) {
      return ids(status.entries(), entry -> entry.descriptor().flags().output());
    }
    if (listCheckpoints) {
      return ids(status.entries().reversed(), entry -> entry.descriptor().flags().checkpoint());
    }
    if (location != null) {
      return status.find(location).map(entry -> Collections.max(entry.locations(), FlushFileFront::order).name());
    }
    if (name != null) {
      return status.find(name).map(entry -> entry.descriptor().name());
    }
    return latest && !status.entries().isEmpty()
        ? Optional.of(Integer.toString(status.entries().getLast().descriptor().id())) : Optional.empty();
  }

  /** Orders locations for printing only one. An operation in progress before a state, the prefix before a cache. */
  private static int order(Location a, Location b) {
    return a.compareTo(b);                                // CACHE, PFS, FLUSHING, SYNC_FLUSHING
  }

  private Optional<String> ids(List<FlushStatus.FlushEntry> entries, Predicate<FlushStatus.FlushEntry> wanted) {
    String ids = entries.stream().filter(wanted).map(entry -> entry.descriptor().id())
        .filter(id -> before == 0 || id < before).map(String::valueOf).collect(Collectors.joining(" "));
    return Optional.of(ids).filter(text -> !text.isEmpty());
  }
}
