package io.vertxscr.redundancy;

import io.vertxscr.model.RankFiles;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeSource;
import io.vertxscr.storage.LogicalDraft;
import io.vertxscr.storage.LogicalFileWriter;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Restores a rank's files in this node's cache. Rebuilt from its redundancy set, or moved from another node. Every file
 * is compared with its checksum before any takes its place; a failure leaves nothing behind. Blocking.
 *
 * <p>The redundancy file that the rank wrote is not restored: an {@link EncodeJob} makes a new one.
 */
public final class RestoreJob {
  private final RankFiles files;
  private final List<Stretch> stretches;
  private final RangeSource source;
  private final Path datasetDirectory;

  private RestoreJob(RankFiles files, List<Stretch> stretches, RangeSource source, Path datasetDirectory) {
    this.files = files;
    this.stretches = stretches;
    this.source = source;
    this.datasetDirectory = datasetDirectory;
  }

  /** Rebuilds the files from the other members. */
  public static RestoreJob rebuild(RebuildPlan plan, RangeSource source, Path datasetDirectory) {
    return new RestoreJob(plan.files(), plan.stretches(), source, datasetDirectory);
  }

  /** Copies the files from the node that has them. */
  public static RestoreJob move(
      int datasetId, RankFiles files, String node, RangeSource source, Path datasetDirectory) {
    var whole = new RangeRequest(node, datasetId, files.rank(), RangeRequest.RangeKind.FILES, 0, files.bytes());
    return new RestoreJob(files, List.of(new Stretch(0, files.bytes(), List.of(Term.plain(whole)))), source,
        datasetDirectory);
  }

  /** Copies files from this range of a node, which has their bytes one after the other. */
  public static RestoreJob part(RankFiles files, RangeRequest from, RangeSource source, Path datasetDirectory) {
    List<Stretch> all = from.bytes() == 0 ? List.of()
        : List.of(new Stretch(0, from.bytes(), List.of(Term.plain(from))));
    return new RestoreJob(files, all, source, datasetDirectory);
  }

  /** Of all files together. */
  public long bytes() {
    return files.bytes();
  }

  /**
   * Does it, durably.
   *
   * @return the files with their checksums
   * @throws io.vertxscr.model.ScrException CORRUPT, naming the file, if other bytes come out than were protected; what
   *     the source throws; NO_SPACE, IO
   */
  public RankFiles run() {
    try (var draft = new LogicalDraft(datasetDirectory, files); var writer = draft.writer()) {
      for (Stretch stretch : stretches) {
        copy(stretch, writer);
      }
      return draft.finish();
    }
  }

  /** Splits the work for several threads, in parts of at most so many bytes. */
  public DividedRestore divided(long partBytes) {
    var draft = new LogicalDraft(datasetDirectory, files);
    List<Runnable> parts = new ArrayList<>();
    for (Stretch stretch : stretches) {
      for (long at = 0; at < stretch.bytes(); at += partBytes) {
        Stretch part = stretch.part(at, Math.min(partBytes, stretch.bytes() - at));
        parts.add(() -> copy(part, draft));
      }
    }
    return new DividedRestore(draft, parts);
  }

  private void copy(Stretch part, LogicalDraft draft) {
    try (var writer = draft.writer(part.offset(), part.bytes())) {
      copy(part, writer);
    }
  }

  private void copy(Stretch stretch, LogicalFileWriter writer) {
    try (var fold = new Fold(source, 1)) {
      stretch.terms().forEach(fold::add);
      for (long at = 0; at < stretch.bytes(); ) {
        ByteBuffer piece = fold.next(stretch.bytes() - at).getFirst();
        at += piece.remaining();
        writer.write(piece);
      }
    }
  }
}
