package io.vertxscr.storage;

import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.HeldPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Parts of this node's datasets that have failed their check, until they are made again. They count as lost
 * (docs/flows/scrub.md). In memory only: who starts again checks again. Thread-safe.
 */
public final class DamagedParts {
  private final Map<Key, Mark> marks = new ConcurrentHashMap<>();

  private record Key(DatasetKey dataset, int rank, HeldPart part) {}

  /**
   * @param file the redundancy file that is meant: the damage goes with it
   * @param unread whether it could not be read, so that it may be good
   */
  private record Mark(Optional<String> file, String problem, boolean unread) {}

  /** One of them, with what is wrong with it in a sentence. */
  public record Damage(DatasetKey dataset, int rank, HeldPart part, String problem) {}

  /**
   * Marks a part.
   *
   * @param unread whether it could not be read: it may be good when that has passed
   * @return false if it was marked already
   */
  public boolean mark(DatasetKey dataset, RankRecord rank, HeldPart part, String problem, boolean unread) {
    boolean known = problem(dataset, rank, part).isPresent();
    marks.put(new Key(dataset, rank.files().rank(), part), new Mark(file(rank, part), problem, unread));
    return !known;
  }

  /** The part is as it should be. */
  public void clear(DatasetKey dataset, int rank, HeldPart part) {
    marks.remove(new Key(dataset, rank, part));
  }

  /** What is wrong with a part that the filemap names; empty where nothing is known. */
  public Optional<String> problem(DatasetKey dataset, RankRecord rank, HeldPart part) {
    return find(dataset, rank, part).map(Mark::problem);
  }

  /** The same of a part that could not be read. */
  public Optional<String> unread(DatasetKey dataset, RankRecord rank, HeldPart part) {
    return find(dataset, rank, part).filter(Mark::unread).map(Mark::problem);
  }

  private Optional<Mark> find(DatasetKey dataset, RankRecord rank, HeldPart part) {
    return Optional.ofNullable(marks.get(new Key(dataset, rank.files().rank(), part)))
        .filter(mark -> mark.file.equals(file(rank, part)));
  }

  /** The damaged parts of a dataset, by rank. */
  public List<Damage> of(DatasetRecord record) {
    List<Damage> damages = new ArrayList<>();
    if (!marks.isEmpty()) {
      DatasetKey key = record.descriptor().key();
      for (RankRecord rank : record.ranks()) {
        for (HeldPart part : HeldPart.values()) {
          problem(key, rank, part)
              .ifPresent(problem -> damages.add(new Damage(key, rank.files().rank(), part, problem)));
        }
      }
    }
    return damages;
  }

  /** The dataset is gone. */
  void forget(int datasetId) {
    marks.keySet().removeIf(key -> key.dataset.id() == datasetId);
  }

  private static Optional<String> file(RankRecord rank, HeldPart part) {
    return part == HeldPart.REDUNDANCY ? rank.redundancy() : Optional.empty();
  }
}
