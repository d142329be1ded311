package io.vertxscr.cli.halt;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.text.JsonVersion;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Halt.Reason;
import io.vertxscr.model.Halt;
import io.vertxscr.model.HaltChange.HaltCondition;
import io.vertxscr.model.HaltChange;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.HaltFileStore;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.scavenge.PatientLocks;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code scr halt}: says when a run is to stop, in the halt file of its prefix directory. Needs no daemon. */
@Command(name = HaltCommand.NAME, sortOptions = false, description = {
    "Set or remove halt conditions of the runs in a prefix directory. Without an option the run stops at its next"
        + " should-exit, and no other run begins there. Conditions stay until they are removed; any one of them"
        + " suffices.",
    "A working directory in which no run has begun is refused, unless it is given by name; the answer has the prefix"
        + " directories that daemons of this host know.",
    "TIME: " + HaltTime.FORMS + "."})
public final class HaltCommand implements Callable<Integer> {
  public static final String NAME = "halt";

  private final Map<String, String> environment;

  @Spec
  private CommandSpec spec;

  @Parameters(arity = "0..*", paramLabel = "PREFIX",
      description = "Prefix directories; SCR_PREFIX, else the working directory, where none is given.")
  private List<Path> prefixes = List.of();

  @Option(names = "--prefix", paramLabel = "PREFIX", hidden = true)
  private Path prefixOption;

  @Option(names = {"-c", "--checkpoints"}, paramLabel = "N", description = "After N more checkpoints.")
  private Integer checkpoints;

  @Option(names = {"-b", "--before"}, paramLabel = "TIME",
      description = "Before this time (by --seconds earlier).")
  private String before;

  @Option(names = {"-a", "--after"}, paramLabel = "TIME", description = "After the first checkpoint from then on.")
  private String after;

  @Option(names = {"-s", "--seconds"}, paramLabel = "N",
      description = "When the allocation has no more than N seconds (or 1h30m) left; instead of SCR_HALT_SECONDS.")
  private String seconds;

  @Option(names = {"-i", "--immediate"},
      description = "At once: every call of the run fails, and the caches are flushed.")
  private boolean immediate;

  @Option(names = {"-l", "--list"}, description = "Print the conditions, and change nothing.")
  private boolean list;

  @Option(names = {"-r", "--remove", "--unset-all"}, description = "Remove all conditions: runs may begin.")
  private boolean remove;

  @Option(names = "--unset-checkpoints", description = "Remove --checkpoints and the reason of a run stopped by it.")
  private boolean unsetCheckpoints;

  @Option(names = "--unset-before", description = "Remove --before and the reason of a run stopped by it.")
  private boolean unsetBefore;

  @Option(names = "--unset-after", description = "Remove --after and the reason of a run stopped by it.")
  private boolean unsetAfter;

  @Option(names = "--unset-seconds", description = "Remove --seconds and the reason of a run stopped by it.")
  private boolean unsetSeconds;

  @Option(names = "--unset-reason", description = "Remove the reason of an earlier halt, and --immediate.")
  private boolean unsetReason;

  @Option(names = "--json", description = "Print what is set then as JSON (docs/json.md).")
  private boolean json;

  /** Made with the environment of the process. */
  public HaltCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() {
    ZonedDateTime now = ZonedDateTime.now();
    boolean changes = remove || sets() || unsets();
    if (list && (changes || immediate)) {
      throw new ParameterException(spec.commandLine(), "--list changes nothing: give it alone");
    }
    if (remove && (sets() || unsets())) {
      throw new ParameterException(spec.commandLine(), "--remove takes back everything: give it alone");
    }
    require(checkpoints == null || checkpoints >= 0, "--checkpoints " + checkpoints + " must be 0 or more");
    HaltChange change = change(now);
    JsonArray all = new JsonArray();
    for (Path directory : directories()) {
      PrefixPaths paths = new PrefixPaths(directory);
      boolean isBare = PrefixDirectories.isBare(paths);
      var file = new HaltFileStore(paths, PatientLocks.user("scr halt"));
      Halted halted = halt(file, change);
      if (json) {
        all.add(HaltJson.of(directory, halted.before(), halted.after()));
      } else {
        print(file, halted, now);
        if (isBare) {
          spec.commandLine().getOut().println("note: no run has begun in " + directory + " yet");
        }
      }
    }
    if (json) {
      spec.commandLine().getOut().println(JsonVersion.of(new JsonObject().put("prefixes", all)).encodePrettily());
    }
    return 0;
  }

  private HaltChange change(ZonedDateTime now) {
    boolean halts = immediate || !sets() && !unsets();
    return new HaltChange.Collector()
        .with(HaltCondition.CHECKPOINTS_LEFT,
            checkpoints == null ? OptionalLong.empty() : OptionalLong.of(checkpoints), unsetCheckpoints)
        .with(HaltCondition.EXIT_BEFORE, time("--before", before, now), unsetBefore)
        .with(HaltCondition.EXIT_AFTER, time("--after", after, now), unsetAfter)
        .with(HaltCondition.HALT_SECONDS, length(), unsetSeconds)
        .change(halts ? Optional.of(Reason.JOB_HALTED.name()) : Optional.empty(), unsetReason, immediate);
  }

  /** Conditions before and after a change. */
  private record Halted(Halt before, Halt after) {}

  private Halted halt(HaltFileStore file, HaltChange change) {
    AtomicReference<Halt> before = new AtomicReference<>(Halt.NONE);
    Halt halt = list ? file.read() : file.update(old -> {
      before.set(old);
      return remove ? Halt.NONE : change.appliedWithReasons(old);
    });
    return new Halted(list ? halt : before.get(), halt);
  }

  /**
   * Prefix directories that are given, or the working directory if runs have begun there.
   *
   * @throws ScrException BAD_CONFIGURATION where one of them is no directory; BAD_REQUEST for another working directory
   */
  private List<Path> directories() {
    String named = environment.getOrDefault("SCR_PREFIX", "");
    require(prefixes.isEmpty() || prefixOption == null, "the prefix directory is given twice");
    List<Path> given = prefixOption != null ? List.of(prefixOption) : prefixes;
    List<Path> directories = (given.isEmpty() ? List.of(Path.of(named)) : given).stream()
        .map(one -> one.toAbsolutePath().normalize()).toList();
    for (Path directory : directories) {
      if (!Files.isDirectory(directory)) {
        throw new ScrException(Fault.BAD_CONFIGURATION, "there is no prefix directory " + directory
            + (given.isEmpty() && !named.isEmpty() ? " (from SCR_PREFIX)" : ""));
      }
    }
    if (given.isEmpty() && named.isEmpty() && PrefixDirectories.isBare(new PrefixPaths(directories.getFirst()))) {
      throw new ScrException(Fault.BAD_REQUEST, "no run has begun in the working directory " + directories.getFirst()
          + ": say 'scr halt PREFIX' with the prefix directory of the run, also for one that is yet to begin; "
          + KnownPrefixes.sentence(environment));
    }
    return directories;
  }

  private boolean sets() {
    return immediate || checkpoints != null || before != null || after != null || seconds != null;
  }

  private boolean unsets() {
    return unsetCheckpoints || unsetBefore || unsetAfter || unsetSeconds || unsetReason;
  }

  private OptionalLong time(String option, String text, ZonedDateTime now) {
    if (text == null) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(HaltTime.parse(text, now).orElseThrow(() -> new ParameterException(spec.commandLine(),
        option + " '" + text + "' is no time; expected " + HaltTime.FORMS)));
  }

  private OptionalLong length() {
    if (seconds == null) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(HaltTime.length(seconds).orElseThrow(() -> new ParameterException(spec.commandLine(),
        "--seconds '" + seconds + "' is no length of time; expected seconds, or 1h30m")));
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private void print(HaltFileStore file, Halted halted, ZonedDateTime now) {
    PrintWriter out = spec.commandLine().getOut();
    Halt halt = halted.after();
    if (remove && !halted.before().equals(Halt.NONE)) {
      out.println("taken back:");
      printConditions(halted.before(), now);
    }
    if (halt.equals(Halt.NONE)) {
      out.println("no halt condition is set in " + file.file() + ": runs may begin and go on");
      return;
    }
    out.println("halt conditions in " + file.file() + ":");
    printConditions(halt, now);
    if (halt.reason().equals(Optional.of(Reason.SCR_FINALIZE_CALLED.name()))) {
      out.println("the last run has finished: a script that asks should-exit ends, and another run may begin");
    } else if (halt.reason().isPresent()) {
      out.println("no run begins here before 'scr halt --remove' (or --unset-reason)"
          + (halt.reason().get().equals(Reason.TIME_LIMIT.name()) ? ", or in an allocation with more time left" : ""));
    }
  }

  private void printConditions(Halt halt, ZonedDateTime now) {
    PrintWriter out = spec.commandLine().getOut();
    halt.checkpointsLeft().ifPresent(left -> out.println("  checkpoints left  " + left));
    halt.exitBeforeSeconds().ifPresent(time -> out.println("  exit before       " + HaltTime.show(time, now)));
    halt.exitAfterSeconds().ifPresent(time -> out.println("  exit after        " + HaltTime.show(time, now)));
    halt.haltSeconds().ifPresent(left -> out.println("  halt seconds      " + left
        + (left == 0 ? " (never)" : " before the end of the allocation")));
    halt.reason().ifPresent(reason -> out.println("  reason            " + reason));
    if (halt.immediate()) {
      out.println("  immediate         every call of the run fails within about a second; its caches are flushed");
    }
  }
}
