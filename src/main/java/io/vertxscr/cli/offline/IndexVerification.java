package io.vertxscr.cli.offline;

import io.vertxscr.cli.text.Humane;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.launch.Plural;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import io.vertxscr.scavenge.DatasetVerification;
import java.io.PrintWriter;
import java.time.LocalDateTime;
import java.util.List;

/** {@code scr index --verify}: reads what a restart reads, the summary first, and all files of any owner. */
final class IndexVerification {
  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final Publication publication;
  private final PrintWriter out;

  IndexVerification(PrefixPaths paths, PrintWriter out) {
    this.paths = paths;
    this.index = PrefixOption.index(paths);
    this.publication = new Publication(paths, index);
    this.out = out;
  }

  /** Reads every byte of these datasets, and marks those that are damaged. */
  int verify(List<Index.Entry> entries) {
    int exit = 0;
    for (Index.Entry entry : entries) {
      String name = IndexRepair.name(entry.descriptor());
      try {
        exit = Math.max(exit, verify(name, entry));
      } catch (ScrException e) {
        if (e.fault() != Fault.CORRUPT) {
          throw e;
        }
        out.println(name + ": " + e.getMessage());
        mark(entry);
        exit = OfflineCommands.WRONG;
      }
    }
    return exit;
  }

  /** So that restarts and listings know. */
  private void mark(Index.Entry entry) {
    if (entry.failed().isEmpty()) {
      edit(entry, Index::markDamaged, "marked as failed, restarts pass it over");
    }
  }

  /**
   * Clears the mark of an earlier verification after every byte was found good. Another one stays; it may be of a
   * program that could not use its data.
   */
  private void unmark(Index.Entry entry) {
    if (entry.byVerify()) {
      edit(entry, (now, id, _) -> now.markGood(id), "no longer marked as failed, restarts use it again");
    } else if (entry.failed().isPresent()) {
      out.println(IndexRepair.name(entry.descriptor()) + ": " + markSentence(entry));
    }
  }

  /** Changes the entry of a dataset. */
  @FunctionalInterface
  private interface Change {
    Index of(Index now, int id, LocalDateTime time);
  }

  private void edit(Index.Entry entry, Change change, String done) {
    LocalDateTime time = LocalDateTime.now();
    try {
      index.update(now -> now.find(entry.id()).filter(one -> one.descriptor().sameAs(entry.descriptor()))
          .map(one -> change.of(now, one.id(), time)).orElse(now));
      out.println(IndexRepair.name(entry.descriptor()) + ": " + done);
    } catch (ScrException e) {
      out.println(IndexRepair.name(entry.descriptor()) + ": the index could not be changed, else it would be "
          + done + ": " + e.getMessage());
    }
  }

  /** That its files are another one's now. */
  static String replaced(Index.Entry entry) {
    return IndexRepair.name(entry.descriptor()) + " was replaced by dataset " + entry.replacedBy().getAsInt()
        + ", which has written over its files";
  }

  private int verify(String name, Index.Entry entry) {
    if (entry.replacedBy().isPresent()) {
      out.println(replaced(entry) + ": not read, restarts pass it over");
      return 0;
    }
    if (publication.summary(entry.id()).filter(Summary::complete).isEmpty()) {
      throw new ScrException(Fault.CORRUPT, paths.summary(entry.id()) + " is missing, or of another dataset: restarts"
          + " do not use a dataset without its summary");
    }
    Verified verified = DatasetVerification.verify(paths, entry.id());
    verified.problems().forEach(problem -> out.println(name + ": " + problem));
    if (!verified.unverified().isEmpty()) {
      out.println(name + ": " + Plural.of(verified.unverified().size(), "file")
          + " without a checksum, not compared,"
          + " such as "
          + verified.unverified().getFirst());
    }
    if (verified.files() != entry.descriptor().totals().files()) {
      out.println(name + ": its map has " + verified.files() + " files, its descriptor "
          + entry.descriptor().totals().files());
      mark(entry);
      return OfflineCommands.WRONG;
    }
    int bad = verified.problems().size();
    if (bad > 0) {
      mark(entry);
    } else {
      unmark(entry);
    }
    String verdict = bad > 0 ? bad + " bad of " : verified.unverified().isEmpty() ? "good, " : "nothing differs in ";
    out.println(name + ": " + verdict + Plural.of(verified.files(), "file") + ", " + Humane.bytes(verified.bytes())
        + (bad == 0 ? "" : " good"));
    return bad == 0 ? 0 : OfflineCommands.WRONG;
  }

  /** Returns the meaning of a failed mark: who set it, its consequence, how to clear it. Begins with "it is". */
  static String markSentence(Index.Entry entry) {
    String name = "\"" + entry.name() + "\"";
    return entry.byVerify()
        ? "it is marked as failed by scr index --verify, restarts pass it over; to end that, put the files right: scr"
            + " index --verify " + name + " names those that differ, and takes its mark back where none does"
        : "it is marked as failed by a run, restarts pass it over; to end that: scr index --drop " + name
            + ", then --add " + entry.id();
  }
}
