package io.vertxscr.metrics;

/**
 * What only the loop of a node knows, or its file systems.
 *
 * @param lostNodes nodes of its last run that it does not see
 * @param freeRatio the share of its file system that is free, 0 to 1, of its fullest store; NaN while unknown
 */
public record NodeFigures(int lostNodes, double freeRatio) {
  /** Before the first look. */
  public static final NodeFigures NONE = new NodeFigures(0, Double.NaN);
}
