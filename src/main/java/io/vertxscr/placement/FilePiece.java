package io.vertxscr.placement;

/**
 * A stretch of one file.
 *
 * @param fileIndex which of the rank's files, counted from 0
 * @param offset first byte in that file
 * @param bytes length, more than 0
 */
public record FilePiece(int fileIndex, long offset, long bytes) {}
