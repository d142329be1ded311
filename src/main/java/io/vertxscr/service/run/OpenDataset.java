package io.vertxscr.service.run;

import io.vertx.core.Future;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Plural;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.metadata.PathRules;
import io.vertxscr.protocol.node.Ack;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The dataset of the phase that is open on a node: which files its ranks have, and where. On the node's loop. */
public final class OpenDataset {
  private final DatasetDescriptor descriptor;
  private final Path prefix;
  private final Path directory;
  private final Map<Integer, Routes> written = new HashMap<>();
  private final Map<Integer, RankFiles> readable;
  private final boolean inPrefix;
  /** Rules by which names become paths; null until somebody has asked for them. */
  private Future<PathRules> rules;
  /** Directories of its files in the cache that are there. */
  private final Set<Path> made = new HashSet<>();
  private Optional<OpenShards> shards = Optional.empty();
  /** Acknowledgement of the leader for an overwritten file; null if there was none. */
  private Future<Ack> overwritten;

  /** Files that a rank has routed, by path relative to the prefix. */
  private record Routes(CacheNames names, Map<String, String> nameOfPath) {}

  private OpenDataset(DatasetDescriptor descriptor, Path prefix, Path directory, Map<Integer, RankFiles> readable,
      boolean inPrefix) {
    this.descriptor = descriptor;
    this.prefix = prefix;
    this.directory = directory;
    this.readable = readable;
    this.inPrefix = inPrefix;
  }

  /**
   * A dataset that is being written.
   *
   * @param directory that of the dataset in the cache; the prefix itself where files go there at once
   */
  public static OpenDataset output(DatasetDescriptor descriptor, Path prefix, Path directory) {
    return new OpenDataset(descriptor, prefix, directory, Map.of(), false);
  }

  /**
   * A dataset that is being read: these are its ranks' files on this node, below this directory.
   *
   * @param inPrefix whether they are read in the prefix directory, as every file there may be
   */
  public static OpenDataset restart(DatasetDescriptor descriptor, Path prefix, Path directory, List<RankFiles> ranks,
      boolean inPrefix) {
    Map<Integer, RankFiles> readable = new HashMap<>();
    ranks.forEach(files -> readable.put(files.rank(), files));
    return new OpenDataset(descriptor, prefix, directory, readable, inPrefix);
  }

  /** Returns the base directory of its files' names. */
  public Path directory() {
    return directory;
  }

  /** Whether its files are in the prefix directory, past the cache. */
  public boolean isBypass() {
    return directory.equals(prefix);
  }

  public DatasetDescriptor descriptor() {
    return descriptor;
  }

  /** Every rank may read every file. */
  public void share(OpenShards files) {
    shards = Optional.of(files);
  }

  /** The files of all ranks, where every rank may read every one. */
  public Optional<OpenShards> shards() {
    return shards;
  }

  /** Whether its files are read in the prefix directory. */
  public boolean inPrefix() {
    return inPrefix;
  }

  public Path prefix() {
    return prefix;
  }

  /**
   * Returns the rules of this phase. The parallel file system is asked for them once; who waits for them holds no
   * thread.
   */
  public Future<PathRules> rules(Supplier<Future<PathRules>> ask) {
    if (rules == null || rules.failed()) {
      rules = ask.get();
    }
    return rules;
  }

  /**
   * Resolves the name of a file, where no question to the file system is needed.
   *
   * @param isKnown whether the file at this path, relative to the prefix, has been resolved before
   */
  public Optional<PathRules.Place> placeInMemory(String workingDirectory, String name, Predicate<String> isKnown) {
    return rules == null || !rules.succeeded() ? Optional.empty()
        : rules.result().placeInMemory(workingDirectory, name, isKnown);
  }

  /** Whether this directory of its files was made in this phase. */
  public boolean isMade(Path cacheDirectory) {
    return made.contains(cacheDirectory);
  }

  /** Notes that this directory of its files is there. */
  public void made(Path cacheDirectory) {
    made.add(cacheDirectory);
  }

  /** Bypass: reports the first overwritten file once; all ranks that route such a file wait for it. */
  public Future<Ack> overwriting(Supplier<Future<Ack>> tell) {
    if (overwritten == null || overwritten.failed()) {
      overwritten = tell.get();
    }
    return overwritten;
  }

  /** Whether the leader has been told of such a file and has not acknowledged it. */
  public boolean isOverwriting() {
    return overwritten != null && !overwritten.succeeded();
  }

  /** Whether there was such a file. */
  public boolean hasOverwritten() {
    return overwritten != null;
  }

  /** Whether the rank has routed this path. */
  public boolean isRouted(int rank, String path) {
    Routes routes = written.get(rank);
    return routes != null && routes.nameOfPath().containsKey(path);
  }

  /** Whether a rank of this node has routed this path. */
  public boolean isRouted(String path) {
    return written.values().stream().anyMatch(routes -> routes.nameOfPath().containsKey(path));
  }

  /** Cache name of a file that the rank writes; the same for the same path. */
  public String route(int rank, String path) {
    Routes routes = written.computeIfAbsent(rank, r -> new Routes(new CacheNames(r), new LinkedHashMap<>()));
    return routes.nameOfPath().computeIfAbsent(path, isBypass() ? p -> p : routes.names()::next);
  }

  /** Files that the rank has routed, sizes not known yet, in the order of the calls. */
  public RankFiles written(int rank) {
    List<FileMeta> files = new ArrayList<>();
    Routes routes = written.get(rank);
    if (routes != null) {
      routes.nameOfPath().forEach((path, name) -> files.add(new FileMeta(name, path, 0, OptionalInt.empty())));
    }
    return new RankFiles(rank, files);
  }

  /**
   * Returns a rank's file in a restart, by its path below the prefix, or by an unambiguous base name.
   *
   * @throws ScrException NO_SUCH_FILE, naming what there is
   */
  public FileMeta readable(int rank, String name, String path) {
    return find(rank, name, path).orElseThrow(() -> {
      List<FileMeta> sameBase = sameBase(rank, name);
      return new ScrException(Fault.NO_SUCH_FILE, "rank " + rank + " asks for '" + name + "' of dataset "
          + descriptor.id() + " \"" + descriptor.name() + "\": " + (sameBase.isEmpty()
          ? "it wrote no file of that name; it wrote " + some(files(rank))
          : "ambiguous, give one of the paths " + some(sameBase)));
    });
  }

  /** Whether the rank has a file at this path. */
  public boolean isReadable(int rank, String path) {
    return files(rank).stream().anyMatch(file -> file.path().equals(path));
  }

  /** Finds a rank's file; empty if there is none, or more than one. */
  public Optional<FileMeta> find(int rank, String name, String path) {
    List<FileMeta> sameBase = sameBase(rank, name);
    return files(rank).stream().filter(file -> file.path().equals(path)).findFirst()
        .or(() -> sameBase.size() == 1 ? Optional.of(sameBase.getFirst()) : Optional.empty());
  }

  private List<FileMeta> sameBase(int rank, String name) {
    String base = name.substring(name.lastIndexOf('/') + 1);
    return files(rank).stream().filter(file -> file.baseName().equals(base)).toList();
  }

  private List<FileMeta> files(int rank) {
    return readable.getOrDefault(rank, new RankFiles(rank, List.of())).files();
  }

  private static String some(List<FileMeta> files) {
    return files.isEmpty() ? "none" : Plural.list(files.stream().map(FileMeta::path).toList(), 5);
  }
}
