package io.vertxscr.scavenge;

import io.vertxscr.format.prefix.Index;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.PrefixIndex.Reading;
import io.vertxscr.prefix.metadata.PrefixIndex;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.prefix.metadata.RestartFileStore;
import io.vertxscr.prefix.publish.Publication;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/**
 * Edits of an index that its users ask for. Each is durable on return, and fails with NO_SUCH_DATASET, BUSY, IO.
 *
 * <p>What is dropped stays in the caches, and restarts may begin with it there. But not with one that an older current
 * dataset excludes: it is noted as removed, since the index does not tell any more that it was passed over.
 */
public final class IndexEditor {
  private final PrefixIndex index;
  private final Publication publication;
  private final RestartFileStore restarts;

  /**
   * What an edit has changed.
   *
   * @param dropped datasets that are not listed any more
   * @param current name of the current dataset now, if there is one
   * @param remarks about the index before, in sentences
   */
  public record Edited(
      List<DatasetDescriptor> dropped, boolean currentChanged, Optional<String> current, List<String> remarks) {}

  public IndexEditor(PrefixPaths paths, PrefixIndex index, RestartFileStore restarts) {
    this.index = index;
    this.publication = new Publication(paths, index);
    this.restarts = restarts;
  }

  /**
   * Restarts begin with this dataset, regardless of where the application has wanted to begin before.
   *
   * @throws ScrException WRONG_STATE for a dataset that restarts skip: they would silently use an older one, or none
   */
  public Edited setCurrent(String name) {
    Edited edited = edit(before -> before.setCurrent(restartable(before.require(name)).name()));
    int current = index.read().index().currentId();
    List<DatasetKey> dropped = publication.unlisted().stream().filter(other -> other.id() > current)
        .map(DatasetDescriptor::key).toList();
    restarts.update(history -> history.startingAnywhere().removing(dropped));    // what is said last counts
    return edited;
  }

  /** Takes a dataset out of the index. */
  public Edited drop(String name) {
    return dropping(before -> before.drop(before.require(name).id()));
  }

  /** Takes all datasets that are newer than this one out of the index. */
  public Edited dropAfter(String name) {
    return dropping(before -> before.dropAfter(name));
  }

  private Edited dropping(UnaryOperator<Index> change) {
    Index before = index.read().index();
    Index after = change.apply(before);
    List<DatasetKey> excluded = before.entries().stream()
        .filter(entry -> entry.id() > before.currentId() && after.find(entry.id()).isEmpty())
        .map(entry -> entry.descriptor().key()).toList();
    if (!excluded.isEmpty()) {
      restarts.update(history -> history.removing(excluded));
    }
    return edit(change);
  }

  private Edited edit(UnaryOperator<Index> change) {
    AtomicReference<Index> before = new AtomicReference<>(Index.EMPTY);
    Reading reading = index.update(now -> {
      before.set(now);
      return change.apply(now);
    });
    Index after = reading.index();
    return new Edited(before.get().entries().stream().filter(entry -> after.find(entry.id()).isEmpty())
        .map(Index.Entry::descriptor).toList(), !after.current().equals(before.get().current()), after.current(),
        reading.remarks());
  }

  private static Index.Entry restartable(Index.Entry entry) {
    if (entry.replacedBy().isPresent()) {
      throw refusal(EntrySentences.overwritten(entry.descriptor(), entry.replacedBy().getAsInt())
          + ": no restart can use it");
    }
    if (!entry.descriptor().flags().checkpoint()) {
      throw refusal(EntrySentences.name(entry.descriptor()) + " is output, no checkpoint: no restart can use it");
    }
    if (!entry.complete()) {
      throw refusal(EntrySentences.name(entry.descriptor()) + " is not valid: no restart can use it; scr explain "
          + entry.id() + " says why");
    }
    if (entry.failed().isPresent()) {
      throw refusal(EntrySentences.name(entry.descriptor()) + " cannot be current: "
          + EntrySentences.failedMark(entry));
    }
    return entry;
  }

  private static ScrException refusal(String sentence) {
    return new ScrException(Fault.WRONG_STATE, sentence);
  }
}
