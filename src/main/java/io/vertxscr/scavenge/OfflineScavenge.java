package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.FlushFileStore;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.publish.Publication;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Scavenges datasets of dead daemons: chooses them, copies from the caches, rebuilds, publishes. Blocking. */
public final class OfflineScavenge {
  private final PrefixPaths paths;
  private final PrefixIndex index;
  private final FlushFileStore flushFile;
  private final DatasetCopies copies;
  private final ScavengeLog log;
  private final Consumer<Finding> findings;
  private final Publication publication;
  private final DatasetPublisher publisher;

  /** Notes when a dataset is worked on. */
  public interface ScavengeLog {
    /** The work begins. */
    void begun(int dataset);

    /** It has ended. @param whole whether the dataset is in the prefix directory now */
    void ended(int dataset, boolean whole);
  }

  /** @param copies from the caches that can be reached */
  public OfflineScavenge(PrefixPaths paths, PrefixIndex index, FlushFileStore flushFile, DatasetCopies copies,
      ScavengeLog log, Clock clock, Consumer<Finding> findings) {
    this.paths = paths;
    this.index = index;
    this.flushFile = flushFile;
    this.copies = copies;
    this.log = log;
    this.findings = findings;
    this.publication = new Publication(paths, index);
    this.publisher = new DatasetPublisher(paths, index, flushFile, clock, findings);
  }

  /**
   * Scavenges all missing output, and the newest available checkpoint. Checkpoints that are older than one in the
   * prefix directory stay in the caches.
   *
   * @param nodes caches to look into besides the flush file
   * @param takeOver as in {@link #one}
   * @return whether all of that is in the prefix directory now
   * @throws ScrException DUPLICATE_NODE, BUSY, NO_SPACE, IO
   */
  public boolean all(List<NodeCache> nodes, boolean takeOver) {
    Collection<DatasetDescriptor> known = known(nodes);
    List<DatasetDescriptor> unlisted = known.stream().filter(this::isUnlisted).toList();
    List<DatasetDescriptor> lacking =
        known.stream().filter(dataset -> !publication.isComplete(dataset.id())).toList();
    boolean good = known.stream().filter(this::tellIfAnotherHasItsId).count() == 0;
    if (good && unlisted.isEmpty() && lacking.isEmpty()) {
      findings.accept(new Finding.NothingToScavenge(!known.isEmpty()));
      return true;
    }
    for (DatasetDescriptor dataset : unlisted) {          // before an older one gets their paths
      good &= unlessDefective(dataset.id(), () -> publisher.add(dataset.id(), takeOver));
    }
    for (DatasetDescriptor dataset : lacking) {
      if (dataset.flags().output()) {
        good &= one(dataset.id(), takeOver);
      }
    }
    ScavengeChoice choice = ScavengeChoice.of(lacking, newestThere());
    if (!choice.left().isEmpty()) {
      findings.accept(new Finding.LeftInCaches(choice.there().orElseThrow(), choice.left()));
    }
    for (DatasetDescriptor checkpoint : choice.checkpoints()) {
      if (one(checkpoint.id(), takeOver)) {
        return good;
      }
      good &= copies.unread(checkpoint.id()).isEmpty();   // an older one is no substitute for what may be had yet
    }
    return good && choice.checkpoints().isEmpty();
  }

  /** Whether its publication was killed when it was complete, before restarts could find it. */
  private boolean isUnlisted(DatasetDescriptor dataset) {
    return publication.isComplete(dataset.id()) && !isListed(dataset)
        && publication.summary(dataset.id()).filter(summary -> summary.descriptor().sameAs(dataset)).isPresent();
  }

  /** A scavenge of some machines may have listed what it had of the dataset, which is not all. */
  private boolean isListed(DatasetDescriptor dataset) {
    return index.read().index().find(dataset.id()).filter(entry -> entry.complete() || entry.failed().isPresent()
        || entry.replacedBy().isPresent() || !entry.descriptor().sameAs(dataset)).isPresent();
  }

  private boolean tellIfAnotherHasItsId(DatasetDescriptor dataset) {
    Optional<String> problem = ScavengeCopy.ofAnother(paths, dataset);
    problem.ifPresent(sentence -> findings.accept(new Finding.DefectById(dataset.id(), sentence)));
    return problem.isPresent();
  }

  private Optional<DatasetDescriptor> newestThere() {
    return index.read().index().entries().reversed().stream()
        .filter(Index.Entry::restartable).map(Index.Entry::descriptor).findFirst();
  }

  /** Datasets of this prefix directory that the flush file or a cache has, ascending. */
  private Collection<DatasetDescriptor> known(List<NodeCache> nodes) {
    Map<Integer, DatasetDescriptor> known = new TreeMap<>();
    nodes.forEach(node -> node.of(paths).datasets().forEach(record -> note(known, record.descriptor())));
    for (FlushStatus.FlushEntry entry : flushFile.read().entries()) {
      if (entry.locations().contains(Location.CACHE) && !entry.locations().contains(Location.PFS)) {
        note(known, entry.descriptor());
      }
    }
    return known.values();
  }

  private static void note(Map<Integer, DatasetDescriptor> known, DatasetDescriptor dataset) {
    known.merge(dataset.id(), dataset, (a, b) -> a.createdUs() >= b.createdUs() ? a : b);
  }

  /**
   * Scavenges one dataset.
   *
   * @param takeOver publish it although the flush file says that a daemon does, also where a host refused
   * @return whether it is in the prefix directory now
   * @throws ScrException DUPLICATE_NODE, BUSY, NO_SPACE, IO
   */
  public boolean one(int dataset, boolean takeOver) {
    LocalCopies.requireWritable(paths);
    log.begun(dataset);
    boolean whole = false;
    try {
      whole = bring(dataset, takeOver);
      if (!whole) {
        copies.unread(dataset).stream().findFirst().ifPresent(why -> findings.accept(new Finding.DefectById(dataset,
            "it may be had when all files in the caches can be read; then run this again: " + why)));
      }
      return whole;
    } finally {
      log.ended(dataset, whole);
    }
  }

  private boolean bring(int dataset, boolean takeOver) {
    return unlessDefective(dataset, () -> {
      boolean noDaemonIsLeft = copies.bring(dataset);
      if (!DatasetScanner.isScavenged(paths, dataset) && !publication.isComplete(dataset)) {
        throw new ScrException(Fault.NO_SUCH_DATASET, copies.otherPrefix(dataset).orElse(
            "no cache that was reached has anything of dataset " + dataset));
      }
      return publisher.add(dataset, takeOver || noDaemonIsLeft);
    });
  }

  /** What is wrong with one dataset keeps no other one from being scavenged. */
  private boolean unlessDefective(int dataset, BooleanSupplier work) {
    try {
      return work.getAsBoolean();
    } catch (ScrException e) {
      if (e.fault() != Fault.NO_SUCH_DATASET && e.fault() != Fault.CORRUPT && e.fault() != Fault.WRONG_STATE) {
        throw e;
      }
      findings.accept(new Finding.DefectById(dataset, e.getMessage()));
      return false;
    }
  }
}
