package io.vertxscr.model;

/** What a node holds of a rank in a dataset, or of the dataset. */
public enum HeldPart {
  /** Files of the application. */
  FILES,
  /** The redundancy file that the rank wrote. */
  REDUNDANCY,
  /** The filemap, of all ranks. */
  FILEMAP
}
