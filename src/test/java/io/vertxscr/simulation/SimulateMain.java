package io.vertxscr.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.vertxscr.service.VirtualTime;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.LoggerFactory;

/** {@code load-tests/run simulate}: one seed after the other, see load-tests/README.md. */
public final class SimulateMain {
  private static final List<String> OPTIONS = List.of(
      "--seeds", "--first", "--seed", "--minutes", "--faults", "--trace", "--progress", "--failures", "--hashes",
      "--each", "--step", "--steps", "--stride");
  private static final int SEEDS_PER_LINE = 100;
  private static final int STORIES_OF_A_KIND = 2;
  private static final double NS_PER_S = 1e9;

  private final Profile profile;
  private final String ofProfile;
  private final long mostFailures;
  private final Optional<Path> hashes;
  private final Map<String, Integer> kinds = new TreeMap<>();
  private long seeds;
  private long runs;
  private long checkpoints;
  private long failed;

  private SimulateMain(Map<String, String> options) {
    String standard = options.containsKey("--each") ? "none" : "all";
    profile = Profile.valueOf(options.getOrDefault("--faults", standard).toUpperCase(Locale.ROOT));
    ofProfile = "--faults " + profile.toString().toLowerCase(Locale.ROOT);
    mostFailures = Long.parseLong(options.getOrDefault("--failures", "" + Long.MAX_VALUE));
    hashes = Optional.ofNullable(options.get("--hashes")).map(Path::of);
  }

  static void setLogging(boolean on) {
    synchronized (LoggerFactory.class) {                  // while another thread sets it up there are only substitutes
      ((Logger) LoggerFactory.getLogger("io.vertxscr")).setLevel(on ? null : Level.OFF);
      ((Logger) LoggerFactory.getLogger("io.vertx.core")).setLevel(on ? null : Level.OFF);
    }
  }

  /** Runs seeds; the exit code is 1 where one has failed that no known defect explains. */
  public static void main(String[] arguments) throws IOException {
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (!OPTIONS.contains(arguments[i]) || i + 1 == arguments.length) {
        System.err.println(arguments[i] + " is no option with a value: there are " + String.join(" ", OPTIONS));
        System.exit(2);
      }
      options.put(arguments[i], arguments[i + 1]);
    }
    setLogging(false);
    SimulateMain main = new SimulateMain(options);
    if (options.containsKey("--each")) {
      main.sweep(Trouble.Kind.valueOf(options.get("--each").toUpperCase(Locale.ROOT).replace('-', '_')), options);
    } else if (options.containsKey("--seed")) {
      main.replay(Scenario.of(Long.parseLong(options.get("--seed")), main.profile), trace(options));
    } else {
      main.campaign(Long.parseLong(options.getOrDefault("--first", "1")),
          Long.parseLong(options.getOrDefault("--seeds", "1000")),
          Long.parseLong(options.getOrDefault("--minutes", "" + Integer.MAX_VALUE)),
          Optional.ofNullable(options.get("--progress")).map(Path::of));
    }
    if (main.failed > 0) {
      System.exit(1);
    }
  }

  private static Path trace(Map<String, String> options) throws IOException {
    return options.containsKey("--trace")
        ? Path.of(options.get("--trace")) : Files.createTempFile("simulation-", ".trace");
  }

  /** One scenario, with its trace, and the smallest one that fails as it does. */
  private void replay(Scenario scenario, Path trace) throws IOException {
    Outcome outcome = Simulation.run(scenario, true);
    System.out.print(outcome.story());
    if (outcome.failed()) {
      Outcome smallest = Shrinker.shrink(outcome);
      outcome = Simulation.run(smallest.scenario(), true);
      System.out.print("smallest: " + outcome.story());
      failed++;
    }
    Files.writeString(trace, outcome.trace());
    System.out.println("  trace in " + trace.toAbsolutePath());
  }

  private void campaign(long first, long most, long minutes, Optional<Path> progress) throws IOException {
    long begin = progress.isPresent() && Files.exists(progress.get())
        ? Long.parseLong(Files.readAllLines(progress.get()).getLast().split(" ")[0]) + 1 : first;
    long beginNs = System.nanoTime();
    long beginCpuNs = cpuNs();
    for (long seed = begin; seed < first + most && failed < mostFailures
        && System.nanoTime() - beginNs < minutes * 60 * NS_PER_S; seed++) {
      one(seed);
      if (progress.isPresent() && (seed % SEEDS_PER_LINE == 0 || seed == first + most - 1)) {
        Files.writeString(progress.get(), seed + " is the last seed that ended; failed " + failed + " " + kinds + "\n",
            StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    }
    double seconds = (System.nanoTime() - beginNs) / NS_PER_S;
    double cpuSeconds = (cpuNs() - beginCpuNs) / NS_PER_S;
    System.out.printf(Locale.ROOT, "{\"case\":\"simulate\",\"faults\":\"%s\",\"first\":%d,\"seeds\":%d,\"runs\":%d,"
        + "\"checkpoints\":%d,\"failed\":%d,\"seconds\":%.1f,\"cpuSeconds\":%.1f,\"seedsPerCpuSecond\":%.1f,"
        + "\"runsPerCpuSecond\":%.1f,\"kinds\":\"%s\"}%n", profile, begin, seeds, runs, checkpoints, failed, seconds,
        cpuSeconds, seeds / cpuSeconds, runs / cpuSeconds, kinds);
  }

  /** One fault at each step of small scenarios, or at one step of one. */
  private void sweep(Trouble.Kind kind, Map<String, String> options) throws IOException {
    if (options.containsKey("--seed")) {
      replay(Sweep.of(Long.parseLong(options.get("--seed")), profile, kind)
          .at(Integer.parseInt(options.getOrDefault("--step", "0"))), trace(options));
      return;
    }
    long first = Long.parseLong(options.getOrDefault("--first", "1"));
    long most = Long.parseLong(options.getOrDefault("--seeds", "1"));
    int stride = Integer.parseInt(options.getOrDefault("--stride", "1"));
    long mostSteps = Long.parseLong(options.getOrDefault("--steps", "" + Long.MAX_VALUE));
    long minutes = Long.parseLong(options.getOrDefault("--minutes", "" + Integer.MAX_VALUE));
    long beginNs = System.nanoTime();
    BooleanSupplier goesOn = () -> seeds < mostSteps && failed < mostFailures
        && System.nanoTime() - beginNs < minutes * 60 * NS_PER_S;
    for (long seed = first; seed < first + most && goesOn.getAsBoolean(); seed++) {
      Sweep sweep = Sweep.of(seed, profile, kind);
      for (int step = (int) (seed % stride); step < sweep.size() && goesOn.getAsBoolean(); step += stride) {
        note(Simulation.run(sweep.at(step), false), ofProfile + " --each " + kind.toString().toLowerCase(Locale.ROOT)
            + " --seed " + seed + " --step " + step);
      }
    }
    System.out.printf(Locale.ROOT, "{\"case\":\"sweep\",\"faults\":\"%s\",\"each\":\"%s\",\"first\":%d,\"seeds\":%d,"
        + "\"stride\":%d,\"steps\":%d,\"runs\":%d,\"failed\":%d,\"seconds\":%.1f,\"kinds\":\"%s\"}%n", profile, kind,
        first, most, stride, seeds, runs, failed, (System.nanoTime() - beginNs) / NS_PER_S, kinds);
  }

  private static long cpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + VirtualTime.elsewhereNs();
  }

  private void one(long seed) throws IOException {
    Outcome outcome = Simulation.run(Scenario.of(seed, profile), false);
    if (hashes.isPresent()) {
      Files.writeString(hashes.get(), seed + " " + Long.toHexString(outcome.traceHash()) + "\n",
          StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    if (seed % SEEDS_PER_LINE == 0
        && Simulation.run(Scenario.of(seed, profile), false).traceHash() != outcome.traceHash()) {
      failed++;
      kinds.merge("ANOTHER_TRACE", 1, Integer::sum);
      System.out.println("seed " + seed + ", faults " + profile + ": its second run has another trace");
    }
    note(outcome, ofProfile + " --seed " + seed);
  }

  /** @param replay the options by which it is run again */
  private void note(Outcome outcome, String replay) {
    seeds++;
    runs += outcome.runs();
    checkpoints += outcome.checkpoints();
    if (outcome.failed()) {
      Optional<KnownDefect> known = KnownDefect.of(outcome);
      String kind = known.map(KnownDefect::toString).orElse(outcome.violations().getFirst().invariant().toString());
      failed += known.isPresent() ? 0 : 1;
      if (kinds.merge(kind, 1, Integer::sum) <= (known.isPresent() ? 0 : STORIES_OF_A_KIND)) {
        System.out.print(outcome.story());
      }
      if (known.isEmpty()) {
        System.out.println("  " + kind + ", replay: load-tests/run simulate " + replay);
      }
    }
  }
}
