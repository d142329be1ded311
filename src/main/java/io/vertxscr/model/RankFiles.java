package io.vertxscr.model;

import java.util.List;

/** The files of one rank in one dataset, in the order that makes up its logical file: one after the other. */
public record RankFiles(int rank, List<FileMeta> files) {
  public RankFiles {
    files = List.copyOf(files);
  }

  /** Length of the logical file, without the zeros it is padded with. */
  public long bytes() {
    return files.stream().mapToLong(FileMeta::bytes).sum();
  }
}
