package io.vertxscr.simulation;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.metadata.LockUser;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RankMapReader;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Ledger.Wish;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.storage.LocalFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads a prefix directory as its user does: the index, the files of datasets, the user's own files. Changes nothing
 * but the ledger's knowledge of what is there.
 */
final class PrefixInspection {
  private static final byte[] OF_THE_USER = {1, 2, 3};
  private static final List<String> USERS_FILES = List.of("notes.txt", "step-1/results.txt", "rolling/of-the-user");

  private final Scenario scenario;
  private final Ledger ledger;
  private final Path prefix;
  private final PrefixPaths paths;
  private final Clock clock;
  private final PrefixView view;
  private final BiConsumer<Invariant, String> violated;
  /** Null before the first look. */
  private PrefixView.Look<List<Index.Entry>> index;
  /** What the index listed at the last look. */
  private List<Index.Entry> before = List.of();
  /** Those that were whole at the last look. */
  private final Map<Index.Entry, PrefixView.Look<Set<Attempt>>> datasets = new HashMap<>();

  /**
   * An inspection that finds what it finds by the ledger.
   *
   * @param prefix the directory
   * @param view in which it is
   */
  PrefixInspection(Scenario scenario, Ledger ledger, String prefix, Clock clock, PrefixView view,
      BiConsumer<Invariant, String> violated) {
    this.scenario = scenario;
    this.ledger = ledger;
    this.prefix = view.files().path(prefix);
    this.paths = new PrefixPaths(this.prefix);
    this.clock = clock;
    this.view = view;
    this.violated = violated;
  }

  /** Every dataset that the index lists as valid is there, every byte, and none has left it too early. */
  void check() {
    look().ifPresent(this::checkWindow);
  }

  /**
   * Every dataset that the index lists as valid is there. It may be seen amid the work of a node, before it is durable:
   * that it is listed is no promise yet.
   *
   * @return what is listed; empty: it cannot be read
   */
  Optional<List<Index.Entry>> look() {
    List<Index.Entry> entries;
    try {
      entries = listed();
    } catch (IOException | ScrException e) {
      violated.accept(Invariant.LISTED_IS_WHOLE, "the index cannot be read: " + e.getMessage());
      return Optional.empty();
    }
    ledger.all().forEach(attempt -> attempt.flushed = false);
    entries.stream().filter(Index.Entry::complete).forEach(this::check);
    if (ledger.hasCurrent()) {
      ledger.noteListed();
    }
    return Optional.of(entries);
  }

  /**
   * A checkpoint leaves the index by itself only where as many newer ones stay as were asked for. Ranks may have had
   * some of those removed since. Of those with the same paths one can be used.
   */
  private void checkWindow(List<Index.Entry> now) {
    int keep = Integer.parseInt(scenario.parameters().getOrDefault("SCR_PREFIX_SIZE", "0"));
    Set<Integer> ids = now.stream().map(Index.Entry::id).collect(Collectors.toSet());
    Set<String> names = now.stream().map(Index.Entry::name).collect(Collectors.toSet());
    for (Index.Entry gone : before) {
      boolean byItself = keep > 0 && !isRolling() && gone.restartable() && !ids.contains(gone.id())
          && !names.contains(gone.name())
          && ledger.attempts().stream().noneMatch(attempt -> attempt.isUnwanted && attempt.name().equals(gone.name()));
      long newer = Stream.concat(now.stream(), before.stream()).filter(Index.Entry::restartable).map(Index.Entry::id)
          .filter(id -> id > gone.id()).distinct().count()
          + ledger.attempts().stream().filter(attempt -> attempt.isUnwanted && attempt.isCheckpoint()).count();
      if (byItself && newer < keep) {
        violated.accept(Invariant.WINDOW_IS_KEPT, gone.name() + " (dataset " + gone.id() + ") has left the prefix"
            + " directory, and " + newer + " newer checkpoints can be used of " + keep + " to be kept");
      }
    }
    before = now;
  }

  private List<Index.Entry> listed() throws IOException {
    if (index == null || !index.holds()) {
      index = view.look(files -> new PrefixIndex(
          new PrefixPaths(there(files)), new LockUser("inspector", files, clock)).read().index().entries());
    }
    return index.result();
  }

  private void check(Index.Entry entry) {
    String what = entry.name() + " (dataset " + entry.id() + ")";
    Set<Attempt> found;
    try {
      found = owners(entry);
    } catch (IOException | ScrException e) {
      if (ledger.attempts().stream().noneMatch(attempt -> attempt.isRotten && attempt.name().equals(entry.name()))) {
        violated.accept(Invariant.LISTED_IS_WHOLE, what + ": " + e);
      }
      return;
    }
    if (found.size() > 1 && found.stream().anyMatch(attempt -> attempt.isRotten && attempt.id == entry.id())) {
      return;                                             // beside a kept file that has rotted is that of a newer one
    }
    if (found.size() > 1) {
      violated.accept(Invariant.LISTED_IS_WHOLE, what + " is a mixture of " + found);
    } else {
      found.forEach(attempt -> isListed(attempt, entry.id(), what));
    }
  }

  /** Whose files those of a dataset are. @throws IOException where one is not whole */
  private Set<Attempt> owners(Index.Entry entry) throws IOException {
    PrefixView.Look<Set<Attempt>> last = datasets.get(entry);
    if (last == null || !last.holds()) {
      datasets.remove(entry);
      last = view.look(files -> read(files, entry));
      datasets.put(entry, last);
    }
    return last.result();
  }

  private void isListed(Attempt attempt, int id, String what) {
    attempt.flushed = true;
    attempt.wasFlushed = true;
    attempt.id = id;
    if (attempt.isRemoved) {
      violated.accept(Invariant.REMOVED_STAYS_AWAY, what + " is listed, and " + attempt + " was removed");
    }
    if (attempt.isDelisted) {
      violated.accept(Invariant.REMOVED_STAYS_AWAY, what + " is listed, and an operator took it out of the index");
    }
  }

  private Set<Attempt> read(LocalFiles files, Index.Entry entry) throws IOException {
    Set<Attempt> found = new LinkedHashSet<>();
    boolean asFiles = scenario.variant().form().isPlain();
    Path directory = asFiles ? there(files) : fetched(files, entry.id());
    for (int rank = 0; rank < ledger.ranks(); rank++) {
      for (int file = 0; file < scenario.files(); file++) {
        Path path = directory.resolve(scenario.path(Ledger.step(entry.name()), rank, file));
        Optional<Attempt> whose = asFiles ? owner(path, rank, file, entry)
            : ledger.whose(Files.readAllBytes(path), rank, file);
        found.add(whose.orElseThrow(() -> new IOException(path + " has other bytes")));
      }
    }
    return found;
  }

  private Path there(LocalFiles files) {
    return files.path(prefix.toString());
  }

  /** A directory with the files of a dataset as a restart would get them, by their paths, on a disk of its own. */
  private Path fetched(LocalFiles files, int id) throws IOException {
    PrefixPaths metadata = new PrefixPaths(there(files));
    Path directory = files.path("/fetched");
    FetchCopy copy = new FetchCopy(metadata, id, directory.resolve("copies"));
    List<FetchCopy.Fetched> parts = new ArrayList<>();
    new RankMapReader(metadata, id).forEach(entry -> copy.parts(entry).forEach(part -> parts.add(part.copy())));
    for (RankFiles rank : copy.join(parts)) {
      for (FileMeta file : rank.files()) {
        Path place = directory.resolve(file.path());
        if (!Files.exists(place.getParent())) {
          Files.createDirectories(place.getParent());
        }
        Files.write(place, Files.readAllBytes(directory.resolve("copies").resolve(file.name())));
      }
    }
    return directory;
  }

  /**
   * Of the file there, or of one that is kept while another dataset takes its place. That may be one of the same name:
   * a restart knows the file of a dataset by its checksum, this by what the ledger says of the dataset.
   */
  private Optional<Attempt> owner(Path path, int rank, int file, Index.Entry entry) throws IOException {
    Optional<Attempt> there = Files.exists(path) ? whose(path, rank, file, entry) : Optional.empty();
    if (there.filter(attempt -> attempt.id == 0 || attempt.id == entry.id()).isPresent()) {
      return there;
    }
    Optional<Attempt> other = there;
    try (var kept = Files.newDirectoryStream(path.getParent(), "." + path.getFileName() + ".scr-kept-*")) {
      for (Path one : kept) {
        Optional<Attempt> of = whose(one, rank, file, entry);
        if (of.filter(attempt -> attempt.id == entry.id()).isPresent()) {
          return of;
        }
        other = other.or(() -> of);
      }
    }
    return other;
  }

  private Optional<Attempt> whose(Path path, int rank, int file, Index.Entry entry) throws IOException {
    return ledger.whose(Files.readAllBytes(path), rank, file).filter(attempt -> attempt.name().equals(entry.name()));
  }

  /** Whether all checkpoints have the same paths, so that a later one in the directory has the place of each other. */
  boolean isRolling() {
    return scenario.rolling();
  }

  /** What was deleted has no files any more. */
  void checkDeleted(Wish wish) {
    for (Attempt attempt : wish.deleted()) {
      for (int rank = 0; rank < ledger.ranks(); rank++) {
        for (int file = 0; file < scenario.files(); file++) {
          Path path = prefix.resolve(scenario.path(attempt.step, rank, file));
          try {
            if (Files.exists(path)
                && ledger.whose(Files.readAllBytes(path), rank, file).equals(Optional.of(attempt))) {
              violated.accept(Invariant.REMOVED_STAYS_AWAY, path + " of " + attempt + " is there, and was deleted");
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    }
  }

  /**
   * Files of one dataset that is whole: those of its ranks and its metadata, as they can rot.
   *
   * @param choice among the datasets
   */
  Optional<Rotting> rotting(int choice) {
    check();
    List<Attempt> whole = ledger.attempts().stream().filter(attempt -> attempt.flushed
        && (scenario.variant().form().isPlain() || !scenario.rolling())).toList();
    if (whole.isEmpty()) {
      return Optional.empty();
    }
    Attempt attempt = whole.get(Math.floorMod(choice, whole.size()));
    try {
      return Optional.of(new Rotting(attempt, files(attempt)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Path> files(Attempt attempt) throws IOException {
    boolean plain = scenario.variant().form().isPlain();
    List<Path> files = new ArrayList<>();
    for (int rank = 0; rank < ledger.ranks(); rank++) {
      for (int file = 0; file < scenario.files(); file++) {
        Path path = prefix.resolve(scenario.path(attempt.step, rank, file));
        Path form = plain ? path : path.resolveSibling(path.getFileName() + ".zst");
        if (Files.exists(form) && (!plain
            || ledger.whose(Files.readAllBytes(form), rank, file).equals(Optional.of(attempt)))) {
          files.add(form);
        }
      }
    }
    try (Stream<Path> metadata = Files.walk(paths.dataset(attempt.id))) {
      metadata.filter(Files::isRegularFile).sorted().forEach(files::add);
    }
    return files;
  }

  /** What can rot of a dataset. */
  record Rotting(Attempt attempt, List<Path> files) {}

  void plantFilesOfTheUser() throws IOException {
    for (String name : USERS_FILES) {
      Path file = prefix.resolve(name);
      Files.createDirectories(file.getParent());
      Files.write(file, OF_THE_USER);
    }
  }

  void checkFilesOfTheUser() {
    for (String name : USERS_FILES) {
      try {
        if (!Arrays.equals(Files.readAllBytes(prefix.resolve(name)), OF_THE_USER)) {
          violated.accept(Invariant.OTHERS_UNTOUCHED, name + " has other bytes");
        }
      } catch (IOException e) {
        violated.accept(Invariant.OTHERS_UNTOUCHED, name + ": " + e);
      }
    }
  }
}
