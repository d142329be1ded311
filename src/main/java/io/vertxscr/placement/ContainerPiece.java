package io.vertxscr.placement;

/**
 * A stretch of a dataset within one container.
 *
 * @param container its number, from 0
 * @param offset in the container
 */
public record ContainerPiece(int container, long offset, long bytes) {}
