package io.vertxscr.simulation;

import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.ScrException;
import io.vertxscr.simulation.Ledger.Attempt;
import io.vertxscr.simulation.Outcome.Invariant;
import io.vertxscr.simulation.SimulatedFileSystem.Operation;
import io.vertxscr.storage.userspace.UserspacePath;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sees each filemap that a daemon writes or deletes, and checks each eviction at that moment.
 *
 * <p>A checkpoint may go if it is in the prefix directory, or if a newer one of its program is whole: all ranks have
 * called it valid, all of their nodes have a filemap of it with all checksums, or those of a run that has restarted
 * from it have one with redundancy, and no loss of power could take its files.
 */
final class CacheWatch {
  private static final Pattern FILEMAP = Pattern.compile("scr\\.dataset\\.([0-9]+)\\.scrfilemap");
  /** Where the files of a dataset go that is no longer here. */
  private static final Pattern TRASH = Pattern.compile("(.*)/\\.trash/scr\\.dataset\\.([0-9]+)\\.[0-9.]+");

  private final Supplier<Collection<Program>> programs;
  private final Function<String, Machine> machines;
  private final BiConsumer<Invariant, String> violated;
  private final Predicate<Attempt> inTheWay;

  /** @param inTheWay what may make room for others although nothing replaces it */
  CacheWatch(Supplier<Collection<Program>> programs, Function<String, Machine> machines,
      Predicate<Attempt> inTheWay, BiConsumer<Invariant, String> violated) {
    this.programs = programs;
    this.machines = machines;
    this.inTheWay = inTheWay;
    this.violated = violated;
  }

  /** A daemon is about to do this to one of its own files; nothing will keep it from it. */
  void sees(String node, Operation operation, Path path) {
    if (operation != Operation.MOVE && operation != Operation.DELETE) {
      return;
    }
    Matcher trash = TRASH.matcher(path.toString());
    if (operation == Operation.MOVE && trash.matches()) {
      last(Integer.parseInt(trash.group(2)), Optional.empty())
          .ifPresent(attempt -> throwsAway(attempt, node, trash.group(1)));
    }
    Matcher filemap = FILEMAP.matcher(path.getFileName().toString());
    if (!filemap.matches()) {
      return;
    }
    int id = Integer.parseInt(filemap.group(1));
    last(id, operation == Operation.DELETE ? whose(path) : Optional.empty()).ifPresent(attempt -> {
      if (operation == Operation.MOVE) {
        attempt.saved.add(node);
        attempt.filemaps.put(node, (UserspacePath) path);
      } else if (attempt.saved.contains(node)) {
        goes(programs.get().stream().filter(program -> program.ledger().attempts().contains(attempt)).findFirst()
            .orElseThrow(), attempt, node);
      }
    });
  }

  /** The files of a dataset go behind its filemap, or they are of no dataset. */
  private void throwsAway(Attempt attempt, String node, String cache) {
    if (filemap(attempt, node).filter(record -> record.cache().path().equals(cache)).isPresent()) {
      violated.accept(Invariant.EVICTED_IS_REPLACED,
          node + " throws away the files of " + attempt + " (dataset " + attempt.id + "), of which it has a filemap");
    }
  }

  /** Of which program a filemap is that is there; empty: none is, or nobody could tell. */
  private static Optional<String> whose(Path filemap) {
    UserspacePath path = (UserspacePath) filemap;
    try {
      return Optional.ofNullable(SimulatedFileSystem.of(path).find(path))
          .map(there -> FilemapFile.decode(there.content()).origin().prefix());
    } catch (ScrException _) {
      return Optional.empty();                            // torn by a loss of power
    }
  }

  /**
   * Where all caches and a prefix directory have lost what was known of an id, another program may get it again.
   *
   * @param prefix of the program; empty: of any
   */
  private Optional<Attempt> last(int id, Optional<String> prefix) {
    return programs.get().stream().filter(program -> prefix.filter(other -> !other.equals(program.prefix())).isEmpty())
        .flatMap(program -> program.ledger().attempts().stream())
        .filter(attempt -> attempt.id == id).max(Comparator.comparingLong(attempt -> attempt.begunNs));
  }

  private void goes(Program program, Attempt attempt, String node) {
    if (attempt.isUnwanted || attempt.rottenOn.size() > attempt.tolerance || inTheWay.test(attempt)
        || program.ledger().isBarred(attempt)) {
      attempt.evicted.add(node);                          // nobody wants it, or could restore it, or it is the rival's
      return;
    }
    boolean isInPrefix = isInPrefix(program, attempt);
    Optional<Attempt> successor =
        attempt.isCheckpoint() && !isInPrefix ? successor(program, attempt) : Optional.empty();
    if (isInPrefix || successor.isPresent()) {
      attempt.evicted.add(node);
      successor.ifPresent(newer -> newer.hasReplaced = true);
    } else if (attempt.acknowledged) {
      violated.accept(Invariant.EVICTED_IS_REPLACED, node + " deletes " + attempt + " (dataset " + attempt.id
          + "), which is nowhere else, and no newer one is whole on all nodes");
    } else {
      attempt.dropped.add(node);
    }
  }

  /** Which newer checkpoint is whole: in the prefix directory, or where it survives as many losses. */
  private Optional<Attempt> successor(Program program, Attempt attempt) {
    return program.ledger().all().stream()
        .filter(newer -> newer.mayReplace(attempt) && newer.isCheckpoint() && !newer.isRemoved
            && program.ledger().mayBeComplete(newer))
        .filter(newer -> newer.flushed || newer.isRotten || isAsSafe(newer, attempt)
            && (newer.isProtected() || isRestored(newer)) && isDurable(newer) && isKnown(newer))
        .findFirst();
  }

  /** What sets an older one has been given since is not known here: then what was asked for counts. */
  private static boolean isAsSafe(Attempt newer, Attempt older) {
    return newer.tolerance >= older.tolerance || newer.asked >= older.asked;
  }

  /** Whether all ranks of a run have restarted from it, on nodes that have redundancy for their parts again. */
  private boolean isRestored(Attempt attempt) {
    return !attempt.readOn.isEmpty() && attempt.readOn.stream().allMatch(node -> filemap(attempt, node)
        .filter(record -> attempt.asked == 0
            || record.ranks().stream().noneMatch(rank -> rank.redundancy().isEmpty() && rank.set().size() > 1))
        .isPresent());
  }

  private Optional<DatasetRecord> filemap(Attempt attempt, String node) {
    return Optional.ofNullable(attempt.filemaps.get(node)).filter(path -> machines.apply(node).files
        == path.getFileSystem()).map(path -> machines.apply(node).files.find(path))
        .map(content -> FilemapFile.decode(content.content()));
  }

  /** After a loss of power nobody could tell whether files without checksums are what they were. */
  private boolean isKnown(Attempt attempt) {
    return attempt.filemaps.entrySet().stream().noneMatch(filemap -> {
      SimulatedFileSystem files = SimulatedFileSystem.of(filemap.getValue());
      SimulatedDisk.Inode content = files.find(filemap.getValue());
      return machines.apply(filemap.getKey()).files == files && content != null
          && FilemapFile.decode(content.content()).hasUnread();
    });
  }

  /**
   * One copy of each file is, on the node that wrote it or on one that it was moved to. Those that have gone with their
   * node do not count: a copy is lost with them.
   */
  private boolean isDurable(Attempt attempt) {
    Map<Path, Boolean> durable = new HashMap<>();
    for (Path written : attempt.cached) {
      String writer = World.nodeOf(written);
      for (String node : attempt.saved) {
        SimulatedFileSystem files = machines.apply(node).files;
        UserspacePath copy = files.getPath(written.toString().replace("/" + writer + "/", "/" + node + "/"));
        if (files.find(copy) != null) {
          durable.merge(written, files.disk(copy).isDurable(copy), Boolean::logicalOr);
        }
      }
    }
    return !durable.containsValue(false);
  }

  /** Or was there, or would be, and a newer one has its places, whose bytes may have rotted since. */
  private static boolean isInPrefix(Program program, Attempt attempt) {
    program.inspection().check();
    boolean isOutdated = program.ledger().all().stream().anyMatch(
        newer -> newer.mayReplace(attempt) && newer.isCheckpoint() && (newer.flushed || newer.isRotten));
    boolean isWrittenAgain = program.ledger().all().stream().anyMatch(
        newer -> newer.mayReplace(attempt) && newer.step == attempt.step && newer.flushed);
    return attempt.flushed || attempt.isRotten || isWrittenAgain
        || attempt.wasFlushed && (program.ledger().mayBeReplaced(attempt, false) || isOutdated)
        || attempt.isCheckpoint() && program.inspection().isRolling() && isOutdated;
  }
}
