package io.vertxscr.simulation;

import io.vertxscr.model.DatasetFlags;
import io.vertxscr.simulation.Scenario.Deed;
import io.vertxscr.storage.userspace.UserspacePath;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the ranks have written, what they were told of it, and how its bytes are known again. */
final class Ledger {
  private static final int HEADER_BYTES = 16;

  private static final Pattern DATASET = Pattern.compile("/scr\\.dataset\\.([0-9]+)/");

  private final int ranks;
  /** Of each file; empty: drawn. */
  private final OptionalInt fileBytes;
  private final List<Attempt> attempts = new ArrayList<>();
  /** Those of a rival, too. */
  private final List<Attempt> all = new ArrayList<>();
  private final Map<String, Wish> wishes = new HashMap<>();
  /** With which an operator has restarts begin. */
  private Optional<Attempt> current = Optional.empty();
  /** Of the newest checkpoint of the index that restarts pass over for it. */
  private int lastPassedOver;

  /** What the ranks want to become of datasets, as far as these existed when the first rank said so. */
  static final class Wish {
    private final Deed deed;
    private final List<Attempt> about;
    private final Optional<Attempt> named;
    private final List<Attempt> all;
    private boolean granted;

    private Wish(Deed deed, List<Attempt> about, Optional<Attempt> named, List<Attempt> all) {
      this.deed = deed;
      this.about = about;
      this.named = named;
      this.all = all;
      about.forEach(attempt -> attempt.isUnwanted = true);
      if (named.isPresent()) {                            // done or not: with the first rank's call it may be
        all.stream().filter(attempt -> !about.contains(attempt)).forEach(attempt -> attempt.isPassedOver = false);
      }
    }

    /** A rank was told that it is done. @param everywhere whether all nodes could hear of it @return the first time */
    boolean isGranted(boolean everywhere) {
      if (granted) {
        return false;
      }
      granted = true;
      if (deed.action() != Deed.Action.CURRENT) {
        about.forEach(attempt -> attempt.isRemoved |= everywhere);
      } else if (named.isPresent()) {
        all.forEach(attempt -> attempt.isPassedOver = about.contains(attempt));
        named.get().isUnwanted = false;
      }
      return true;
    }

    /** Datasets whose files were to go, of those that have ever been published. */
    List<Attempt> deleted() {
      return deed.action() == Deed.Action.DELETE ? about.stream().filter(attempt -> attempt.wasFlushed).toList()
          : List.of();
    }

    @Override
    public String toString() {
      return deed.toString();
    }
  }

  /** A dataset that some ranks began to write. */
  static final class Attempt {
    final int number;
    final int run;
    final int step;
    final DatasetFlags flags;
    private final OptionalInt fileBytes;
    final Set<Integer> called = new TreeSet<>();
    /** Nodes of its ranks, and the files that these wrote in a cache. */
    final Set<String> nodes = new TreeSet<>();
    final List<Path> cached = new ArrayList<>();
    /** Nodes that have had a filemap of it. */
    final Set<String> saved = new TreeSet<>();
    /** Where these are, by node. */
    final Map<String, UserspacePath> filemaps = new HashMap<>();
    /** Nodes of the ranks of the last run that has restarted from it; what was lost is rebuilt there. */
    final Set<String> readOn = new TreeSet<>();
    /** Nodes that have deleted theirs since, for a good reason. */
    final Set<String> evicted = new TreeSet<>();
    /** Those that have done so without: as nobody has heard that it is complete. */
    final Set<String> dropped = new TreeSet<>();
    /** By rank and number: each file is looked at many times. */
    private final Map<List<Integer>, byte[]> contents = new HashMap<>();
    /** Groups of the nodes in whose caches a byte of its files is another one. */
    final Set<String> rottenOn = new TreeSet<>();
    /** The dataset's; 0 while no rank has heard it. */
    int id;
    long begunNs;
    /** How many nodes, or groups of them, may be lost with its caches. */
    int tolerance;
    /** As many as the scheme is to survive; fewer where there were too few groups for that. */
    int asked;
    boolean acknowledged;
    boolean flushed;
    /** It was in the prefix directory once. */
    boolean wasFlushed;
    /** An older one was evicted because this one is whole. */
    boolean hasReplaced;
    /** A rank has asked to have it removed, or to begin with an older one. */
    boolean isUnwanted;
    /** It was removed, as a rank was told. */
    boolean isRemoved;
    /** Restarts are to begin with an older one, as a rank was told. */
    boolean isPassedOver;
    /** An operator took it out of the index, and nobody is about to list it again. */
    boolean isDelisted;
    /** An operator wants it in the prefix directory, where it may be already. */
    boolean isFlushedAgain;
    /** An operator wants so, and has no answer yet, or a failure: nobody can tell what has heard of it. */
    boolean mayBeOrdered;
    /** An operator was told that it is on its way there. */
    boolean isOrdered;
    /** Its ranks write to the prefix directory. */
    boolean isInPlace;
    /** A byte of it in the prefix directory is another one. */
    boolean isRotten;

    Attempt(int number, int run, int step, DatasetFlags flags, OptionalInt fileBytes) {
      this.fileBytes = fileBytes;
      this.number = number;
      this.run = run;
      this.step = step;
      this.flags = flags;
    }

    /** Whether another job began to write it, with the same prefix directory. */
    boolean isOfRival() {
      return run >= RivalJob.RUNS;
    }

    /** Whether it is newer, as far as can be told: a rival begins its own at the same time. */
    boolean mayReplace(Attempt older) {
      return number > older.number || isOfRival() && !older.isOfRival();
    }

    boolean isCheckpoint() {
      return flags.checkpoint();
    }

    String name() {
      return "step-" + step;
    }

    /** A rank writes a file of it here. */
    void isIn(Path file) {
      Matcher matcher = DATASET.matcher(file.toString());
      if (matcher.find()) {
        id = Integer.parseInt(matcher.group(1));
        cached.add(file);
      } else {
        isInPlace = true;
      }
    }

    /** Whether each node of its ranks has had a filemap of it. */
    boolean isProtected() {
      return !nodes.isEmpty() && saved.containsAll(nodes);
    }

    @Override
    public String toString() {
      return "step-" + step + " of run " + run;
    }
  }

  /** @param fileBytes of each file; empty: drawn */
  Ledger(int ranks, OptionalInt fileBytes) {
    this.ranks = ranks;
    this.fileBytes = fileBytes;
  }

  int ranks() {
    return ranks;
  }

  /** Of a dataset's name. */
  static int step(String name) {
    return Integer.parseInt(name.substring("step-".length()));
  }

  /** The attempt of a run at a step; the first rank that asks begins it. */
  Attempt attempt(int run, int step, DatasetFlags flags) {
    return find(run, step).orElseGet(() -> {
      Attempt added = new Attempt(all.size(), run, step, flags, fileBytes);
      all.add(added);
      if (!added.isOfRival()) {
        attempts.add(added);
      }
      return added;
    });
  }

  Optional<Attempt> find(int run, int step) {
    for (Attempt attempt : all) {
      if (attempt.run == run && attempt.step == step) {
        return Optional.of(attempt);
      }
    }
    return Optional.empty();
  }

  /** What the ranks of a run want behind a step; the first rank that asks says so. */
  Wish wish(int run, int step, Deed deed) {
    return wishes.computeIfAbsent(run + " " + step, _ -> {
      List<Attempt> now = List.copyOf(attempts);
      List<Attempt> ofName = now.stream().filter(attempt -> attempt.step == deed.step()).toList();
      if (deed.action() != Deed.Action.CURRENT) {
        return new Wish(deed, ofName, Optional.empty(), now);
      }
      List<Attempt> known = ofName.stream().filter(this::mayBeComplete).toList();
      Optional<Attempt> named = known.isEmpty() || !known.getLast().acknowledged || known.getLast().isRemoved
          ? Optional.empty() : Optional.of(known.getLast());
      int last = named.map(attempt -> attempt.number).orElse(-1);
      return new Wish(deed, now.stream().filter(attempt -> attempt.number > last).toList(), named, now);
    });
  }

  /** Whether the ranks have wanted something to become of it. */
  boolean isWished(Attempt attempt) {
    return wishes.values().stream().anyMatch(wish -> wish.about.contains(attempt));
  }

  /**
   * An operator has restarts begin with a dataset: newer ones up to the newest of the index are passed over.
   *
   * @param lastId of that
   */
  void beginWith(Attempt named, int lastId) {
    current = Optional.of(named);
    passOver(lastId);
    attempts.forEach(attempt -> attempt.isUnwanted |= attempt.isPassedOver);
  }

  /** Does so, where the newest of the index may be another one since. */
  void passOver(int lastId) {
    lastPassedOver = lastId;
    current.ifPresent(named -> attempts.forEach(
        attempt -> attempt.isPassedOver = attempt.id > named.id && attempt.id <= lastId));
  }

  /** Whether an operator has said with which dataset restarts begin, and none has come to the index that ends that. */
  boolean hasCurrent() {
    return current.isPresent();
  }

  /** Restarts begin with the newest of the index again, or with one that has become current since. */
  void forgetCurrent() {
    passOver(0);
    current = Optional.empty();
  }

  /** What the index lists has been noted. */
  void noteListed() {
    if (attempts.stream()
        .anyMatch(attempt -> attempt.flushed && attempt.isCheckpoint() && attempt.id > lastPassedOver)) {
      forgetCurrent();
    }
  }

  /** Whether all ranks have called it valid: else nobody may ever publish or offer it. */
  boolean mayBeComplete(Attempt attempt) {
    return attempt.called.size() == ranks;
  }

  /** Whether another dataset of its name may have taken its place. @param inPlace whether ranks may write over it */
  boolean mayBeReplaced(Attempt attempt, boolean inPlace) {
    return all.stream().anyMatch(
        other -> other.step == attempt.step && other.mayReplace(attempt) && (inPlace || mayBeComplete(other)));
  }

  /** In the order in which they began. */
  List<Attempt> attempts() {
    return attempts;
  }

  /** Those of a rival, too: in its prefix directory may be any of them. */
  List<Attempt> all() {
    return all;
  }

  /**
   * A run of a rival has completed a checkpoint: it leaves the branch of history on which others went on from the
   * checkpoint that it restarted from, by their ids or by the order in which they began.
   *
   * @param begun how many attempts there were when that run began
   * @param from what it restarted from; empty: nothing
   */
  void leave(int begun, Optional<Attempt> from) {
    int last = from.map(attempt -> attempt.number).orElse(-1);
    int lastId = from.map(attempt -> attempt.id).orElse(0);
    attempts.stream().filter(attempt -> attempt.number < begun && from.filter(attempt::equals).isEmpty()
            && (attempt.number > last || attempt.id >= lastId))
        .forEach(attempt -> attempt.isUnwanted = true);
  }

  /**
   * Whether the other job has published a dataset of the same id, as neither knows which ids the other one has given:
   * it stays in the caches until somebody drops that one.
   */
  boolean isBarred(Attempt attempt) {
    return attempt.id > 0 && all.stream().anyMatch(
        other -> other.id == attempt.id && other.isOfRival() != attempt.isOfRival() && other.wasFlushed);
  }

  /** Bytes of a file; not to be changed. */
  static byte[] bytes(Attempt attempt, int rank, int file) {
    return attempt.contents.computeIfAbsent(List.of(rank, file), _ -> drawn(attempt, rank, file));
  }

  private static byte[] drawn(Attempt attempt, int rank, int file) {
    Random random = new Random(attempt.run * 1_000_003L + attempt.step * 10_007L + rank * 101L + file);
    byte[] bytes = new byte[attempt.fileBytes.orElseGet(
        () -> HEADER_BYTES + random.nextInt(random.nextInt(4) == 0 ? 6_000 : 600))];
    random.nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(attempt.run).putInt(attempt.step).putInt(rank).putInt(file);
    return bytes;
  }

  /** Of the files of the first checkpoint on the node that has most of it. */
  long mostBytes(int ranksPerNode, int files) {
    Attempt first = new Attempt(0, 0, 1, DatasetFlags.CHECKPOINT, fileBytes);
    long most = 0;
    for (int from = 0; from < ranks; from += ranksPerNode) {
      long sum = 0;
      for (int rank = from; rank < from + ranksPerNode; rank++) {
        for (int file = 0; file < files; file++) {
          sum += bytes(first, rank, file).length;
        }
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** Of a dataset without the largest file of each node. */
  long bytesBehindFirst(Attempt attempt, int ranksPerNode, int files) {
    long sum = 0;
    for (int first = 0; first < ranks; first += ranksPerNode) {
      int largest = 0;
      for (int rank = first; rank < first + ranksPerNode; rank++) {
        for (int file = 0; file < files; file++) {
          int bytes = bytes(attempt, rank, file).length;
          sum += bytes;
          largest = Math.max(largest, bytes);
        }
      }
      sum -= largest;
    }
    return sum;
  }

  /** Whose bytes they are, every one of them; empty: of no attempt. */
  Optional<Attempt> whose(byte[] read, int rank, int file) {
    if (read.length < HEADER_BYTES) {
      return Optional.empty();
    }
    ByteBuffer header = ByteBuffer.wrap(read);
    return find(header.getInt(), header.getInt())
        .filter(attempt -> Arrays.equals(read, bytes(attempt, rank, file)));
  }
}
