package io.vertxscr.cli.scr;

import io.vertxscr.format.Fields;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.prefix.metadata.PrefixIndex.Reading;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code scr_index}. Lists where nothing else is asked for, in the columns that scripts cut. */
@Command(sortOptions = false, exitCodeOnInvalidInput = Front.FAILED, description = {
    "List and change the index of a prefix directory, as SCR's command. 'scr index' can do more: --verify, --scan."})
final class IndexFront extends Front {
  @Option(names = {"-l", "--list"}, description = "List the checkpoints, newest first; also without any option.")
  private boolean list;

  @Option(names = {"-b", "--build"}, paramLabel = "ID", description =
      "Make dataset ID whole, rebuilding what is missing, and put it into the index.")
  private Integer build;

  @Option(names = {"-a", "--add"}, paramLabel = "NAME", description = "Put a dataset back into the index.")
  private String add;

  @Option(names = {"-d", "--drop"}, paramLabel = "NAME", description = "Take a dataset out; its files stay.")
  private String drop;

  @Option(names = "--drop-after", paramLabel = "NAME", description =
      "Take all that are newer than this one out; their files stay.")
  private String dropAfter;

  @Option(names = {"-c", "--current"}, paramLabel = "NAME", description = "Restarts begin with this one.")
  private String current;

  @Option(names = {"-p", "--prefix"}, paramLabel = "DIR", description =
      "Prefix directory; the working directory if not given.")
  private Path prefix;

  IndexFront(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  protected int answer() {
    List<String> action = new ArrayList<>();
    add(action, "--build", build == null ? null : build.toString());
    add(action, "--add", add);
    add(action, "--drop", drop);
    add(action, "--drop-after", dropAfter);
    add(action, "--current", current);
    if (action.size() > 2) {
      throw wrong("one at a time of --build, --add, --drop, --drop-after and --current");
    }
    PrefixPaths paths = prefix(prefix);
    if (action.isEmpty()) {
      return list(paths);
    }
    action.addAll(0, List.of("index", "--prefix", paths.prefix().toString()));
    return ours(action) == 0 ? 0 : FAILED;
  }

  private static void add(List<String> action, String option, String value) {
    if (value != null) {
      action.addAll(List.of(option, value));
    }
  }

  private int list(PrefixPaths paths) {
    PrefixIndex file = new PrefixIndex(paths, PatientLocks.user(name(), Duration.ZERO));
    if (!Files.exists(paths.index())) {
      err().println(name() + ": " + file.lost().orElse("no index in " + paths.prefix() + elsewhere(paths)));
      return FAILED;
    }
    Reading reading = file.read();
    out().println("DSET VALID FLUSHED             CUR NAME");
    reading.index().entries().reversed().stream().filter(entry -> entry.descriptor().flags().checkpoint())
        .map(entry -> line(entry, reading.index().current())).forEach(out()::println);
    reading.remarks().forEach(remark -> err().println(name() + ": " + remark));
    return reading.remarks().isEmpty() ? 0 : FAILED;
  }

  /** SCR's command does not look at SCR_PREFIX, and people expect it. */
  private String elsewhere(PrefixPaths paths) {
    String other = environment().getOrDefault("SCR_PREFIX", "");
    return other.isEmpty() || Path.of(other).toAbsolutePath().normalize().equals(paths.prefix()) ? ""
        : "; SCR_PREFIX is " + other + ": " + name() + " --prefix \"$SCR_PREFIX\"";
  }

  private static String line(Index.Entry entry, Optional<String> current) {
    return "%4d %-5s %-19s %3s %s".formatted(entry.id(), entry.restartable() ? "YES" : "NO",
        entry.flushed().map(Fields::time).orElse(""), current.filter(entry.name()::equals).isPresent() ? "*" : "",
        entry.name());
  }
}
