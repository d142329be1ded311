package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.format.prefix.Summary;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.DatasetVerification.Verified;
import java.time.Clock;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Consumer;

/**
 * Verifies published datasets and sets or clears their failed marks. It reads what a restart reads, the summary first,
 * and all files of any owner.
 */
public final class IndexVerification {
  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final Clock clock;
  private final Consumer<Finding> findings;
  private final Publication publication;

  /** @param clock for the times of the marks */
  public IndexVerification(PrefixPaths paths, PrefixIndex index, Clock clock, Consumer<Finding> findings) {
    this.paths = paths;
    this.index = index;
    this.clock = clock;
    this.findings = findings;
    this.publication = new Publication(paths, index);
  }

  /** Reads every byte of these datasets, and marks those that are damaged. @return whether none is */
  public boolean verify(List<Index.Entry> entries) {
    boolean good = true;
    for (Index.Entry entry : entries) {
      try {
        good &= verify(entry);
      } catch (ScrException e) {
        if (e.fault() != Fault.CORRUPT) {
          throw e;
        }
        end(entry, e.getMessage());
        good = false;
      }
    }
    return good;
  }

  /** So that restarts and listings know. */
  private void mark(Index.Entry entry) {
    if (entry.failed().isEmpty()) {
      edit(entry, Index::markDamaged, true);
    }
  }

  /**
   * Clears the mark of an earlier verification after every byte was found good. Another one stays; it may be of a
   * program that could not use its data.
   */
  private void unmark(Index.Entry entry) {
    if (entry.byVerify()) {
      edit(entry, (now, id, _) -> now.markGood(id), false);
    } else if (entry.failed().isPresent()) {
      findings.accept(new Finding.MarkStays(entry));
    }
  }

  /** Changes the entry of a dataset. */
  @FunctionalInterface
  private interface EntryChange {
    Index of(Index now, int id, LocalDateTime time);
  }

  private void edit(Index.Entry entry, EntryChange change, boolean failed) {
    LocalDateTime time = LocalDateTime.now(clock);
    try {
      index.update(now -> now.find(entry.id()).filter(one -> one.descriptor().sameAs(entry.descriptor()))
          .map(one -> change.of(now, one.id(), time)).orElse(now));
      findings.accept(new Finding.MarkChanged(entry.descriptor(), failed));
    } catch (ScrException e) {
      findings.accept(new Finding.MarkNotWritten(entry.descriptor(), failed, e.getMessage()));
    }
  }

  private boolean verify(Index.Entry entry) {
    if (entry.replacedBy().isPresent()) {
      findings.accept(new Finding.NotRead(entry.descriptor(), entry.replacedBy().getAsInt()));
      return true;
    }
    requireSummary(entry);
    return end(entry, DatasetVerification.verify(paths, entry.id()));
  }

  private void requireSummary(Index.Entry entry) {
    if (publication.summary(entry.id()).filter(Summary::complete).isEmpty()) {
      throw new ScrException(Fault.CORRUPT, paths.summary(entry.id()) + " is missing, or of another dataset: restarts"
          + " do not use a dataset without its summary");
    }
  }

  /** Begins to verify one in steps. @throws ScrException CORRUPT where its summary or map is damaged, IO */
  public DatasetVerification.VerificationSteps begin(Index.Entry entry) {
    requireSummary(entry);
    return DatasetVerification.steps(paths, entry.id());
  }

  /** Ends it: sets or clears its mark. @return whether it is whole */
  public boolean end(Index.Entry entry, Verified verified) {
    DatasetDescriptor dataset = entry.descriptor();
    List<String> without = verified.unverified();
    verified.problems().forEach(problem -> findings.accept(new Finding.Defect(dataset, problem)));
    if (!without.isEmpty()) {
      findings.accept(new Finding.NotCompared(dataset, without.size(), without.getFirst()));
    }
    if (verified.files() != dataset.totals().files()) {
      findings.accept(new Finding.Defect(dataset, "its map has " + verified.files() + " files, its descriptor "
          + dataset.totals().files()));
      mark(entry);
      return false;
    }
    int bad = verified.problems().size();
    List<String> unread = verified.unread();
    if (bad > 0) {
      mark(entry);
    } else if (unread.isEmpty()) {
      unmark(entry);
    }
    if (!unread.isEmpty()) {
      findings.accept(new Finding.Unread(dataset, unread.size(), unread.getFirst()));
      return false;
    }
    findings.accept(new Finding.Compared(dataset, verified.files(), verified.bytes(), bad, without.isEmpty()));
    return bad == 0;
  }

  /** Marks one whose summary or map is damaged. */
  public void end(Index.Entry entry, String why) {
    findings.accept(new Finding.Defect(entry.descriptor(), why));
    mark(entry);
  }
}
