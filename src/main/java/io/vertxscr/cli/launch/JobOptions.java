package io.vertxscr.cli.launch;

import io.vertxscr.config.Configuration;
import io.vertxscr.config.Settings;
import io.vertxscr.config.UserSettings;
import io.vertxscr.launch.LaunchSettings;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Common options of the commands around a job: its data and its nodes. */
final class JobOptions {
  /** About one process or one host, not about the job. */
  private static final List<String> NOT_OF_THE_JOB =
      List.of("SCR_HOME", "SCR_SOCKET", "SCR_RANK", "SCR_RANKS", "SCR_NODELIST", "SCR_DEBUG");

  @Option(names = "--prefix", paramLabel = "DIR",
      description = "Prefix directory; SCR_PREFIX if not given, else the working directory.")
  private Path prefix;

  @Option(names = "--hosts", defaultValue = "", paramLabel = "LIST", description =
      "Nodes, as n[001-003],n7, where no resource manager gives them (or instead of its own); reached by ssh.")
  private String hosts;

  @Option(names = "--exclude", paramLabel = "LIST",
      description = "Nodes to leave out; SCR_EXCLUDE_NODES if not given.")
  private String exclude;

  @Option(names = "--min-nodes", paramLabel = "N", description =
      "Fewest nodes to run on; SCR_MIN_NODES if not given, else as many as the last run had.")
  private Integer minNodes;

  @Option(names = "--remote", defaultValue = "", paramLabel = "COMMAND", description =
      "Words that run a command on {host}, instead of those of the resource manager.")
  private String remote;

  @Option(names = "--scr", paramLabel = "PATH",
      description = "This program on all nodes; where it is here if not given.")
  private String program;

  /** The environment with overrides by the options. */
  Map<String, String> environment(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    if (exclude != null) {
      all.put("SCR_EXCLUDE_NODES", exclude);
    }
    if (minNodes != null) {
      all.put("SCR_MIN_NODES", minNodes.toString());
    }
    return all;
  }

  /** @throws ScrException BAD_CONFIGURATION where it is no directory */
  PrefixPaths paths(Map<String, String> environment) {
    String named = environment.getOrDefault("SCR_PREFIX", "");
    return PrefixDirectories.named(prefix != null ? prefix : Path.of(named));
  }

  /** @throws ScrException IO where nothing can be written there: no checkpoint would ever leave the caches */
  static void requireWritable(PrefixPaths paths) {
    try {
      Files.createDirectories(paths.scr());
      Files.delete(Files.createTempFile(paths.scr(), ".scr-prerun-", ""));
    } catch (IOException e) {
      throw new ScrException(Fault.IO,
          "prefix directory " + paths.prefix() + " cannot be written to: " + ScrException.reason(e), e);
    }
  }

  /** Returns remarks on settings without effect, or misspelt, as {@code scr config} prints them. */
  List<String> remarks(Map<String, String> environment, PrefixPaths paths) {
    Configuration system = Configuration.ofSystem(environment, Configuration.systemFile(environment));
    UserSettings user = new UserSettings(Optional.of(paths.prefix()), ours(environment), List.of());
    try {
      return Settings.of(system).of(user).remarks();
    } catch (ScrException e) {
      return List.of(e.getMessage());                      // what the application configures may mend it
    }
  }

  /** Returns the launch settings of user and system. */
  LaunchSettings settings(Map<String, String> environment, PrefixPaths paths) {
    Configuration system = Configuration.ofSystem(environment, Configuration.systemFile(environment));
    UserSettings user = new UserSettings(Optional.of(paths.prefix()), ours(environment), List.of());
    return LaunchSettings.of(system.with(user).effective());
  }

  /** @param local daemons of this machine; empty where the user has not said */
  Allocation allocation(Map<String, String> environment, OptionalInt local) {
    return Allocation.read(ResourceManagers.find(environment, hosts, local), remote, withEnd(environment));
  }

  /** The end of the allocation may stand in the system's file, as daemons read it. */
  private static Map<String, String> withEnd(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    Settings.load(environment, Configuration.systemFile(environment)).job().endSeconds()
        .ifPresent(end -> all.put("SCR_END_TIME", Long.toString(end)));
    return all;
  }

  /** This program, as it is called on every node. */
  String program(Map<String, String> environment) {
    String home = environment.getOrDefault("SCR_HOME", "");
    return program != null ? program : home.isEmpty() ? "scr" : Path.of(home, "bin", "scr").toString();
  }

  /** The SCR_* variables that daemons, ranks and commands of the job have in common. */
  static Map<String, String> variables(Map<String, String> environment, PrefixPaths paths) {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    Map<String, String> variables = new TreeMap<>(ours(environment));
    NOT_OF_THE_JOB.forEach(variables::remove);
    variables.put("SCR_PREFIX", paths.prefix().toString());
    variables.put("SCR_JOB_ID", settings.job().id());
    variables.put("SCR_USER_NAME", settings.job().user());
    variables.put("SCR_CNTL_BASE", settings.cache().controlBase().toString());
    return variables;
  }

  private static Map<String, String> ours(Map<String, String> environment) {
    Map<String, String> ours = new HashMap<>(environment);
    ours.keySet().removeIf(name -> !name.startsWith("SCR_"));
    return ours;
  }
}
