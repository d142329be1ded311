package io.vertxscr.cli.offline;

import io.vertxscr.cluster.store.ObjectMounts;
import io.vertxscr.config.Configuration;
import io.vertxscr.config.ObjectSettings;
import io.vertxscr.config.Settings;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.storage.LocalFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which prefix directory a command is about. */
final class PrefixOption {

  @Option(names = "--prefix", paramLabel = "DIR",
      description = "Prefix directory; SCR_PREFIX if not given, else the working directory.")
  private Path prefix;

  /** @throws ScrException BAD_CONFIGURATION where it is no directory */
  PrefixPaths paths(Map<String, String> environment) {
    return choice(environment).directory();
  }

  /** The same for a command that reads caches, too: without a name they say which one is meant. */
  PrefixChoice choice(Map<String, String> environment) {
    Settings settings = Settings.load(environment, Configuration.systemFile(environment));
    LocalFiles files = ObjectMounts.files(ObjectSettings.of(settings.system()), environment);
    Optional<Path> named = Optional.ofNullable(prefix).or(settings.job()::prefix);
    return new PrefixChoice(
        PrefixDirectories.named(files.path(named.orElse(Path.of(".")).toAbsolutePath().normalize().toString())),
        named.isPresent(), files::path);
  }

  static PrefixIndex index(PrefixPaths paths) {
    return new PrefixIndex(paths, PatientLocks.user("scr index"));
  }

  static FlushFileStore flushFile(PrefixPaths paths, String command) {
    return new FlushFileStore(paths, PatientLocks.user(command));
  }

  static RestartFileStore restarts(PrefixPaths paths) {
    return new RestartFileStore(paths, PatientLocks.user("scr index"));
  }
}
