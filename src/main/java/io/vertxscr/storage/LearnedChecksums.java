package io.vertxscr.storage;

import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Checksums of unread files ({@link UnreadFiles}), learned by who reads them first. Thread-safe. */
public final class LearnedChecksums {
  private final Map<FileMeta, Integer> crcs = new ConcurrentHashMap<>();

  /** Somebody has read a file to its end, and it was the same before and after. Ignored where it is not unread. */
  public void add(FileMeta file, int crc) {
    if (file.unread().isPresent()) {
      crcs.put(file, crc);
    }
  }

  /**
   * Reads all unread files of a rank. Blocking.
   *
   * @throws io.vertxscr.model.ScrException CORRUPT if one is not the file that it was; IO
   */
  public void read(Path datasetDirectory, RankFiles rank) {
    rank.files().stream().filter(file -> file.unread().isPresent())
        .forEach(file -> add(file, UnreadFiles.read(datasetDirectory, file)));
  }

  public boolean isEmpty() {
    return crcs.isEmpty();
  }

  /** Returns the files with the checksums that are known now. */
  public RankFiles into(RankFiles rank) {
    return rank.hasUnread() ? new RankFiles(rank.rank(), rank.files().stream().map(this::into).toList()) : rank;
  }

  private FileMeta into(FileMeta file) {
    Integer crc = crcs.get(file);
    return crc == null ? file : file.withCrc(crc);
  }

  /** Returns the filemap with the checksums that are known now. */
  public DatasetRecord into(DatasetRecord record) {
    return record.with(record.ranks().stream()
        .map(rank -> rank.learned(into(rank.files()))).toList());
  }
}
