package io.vertxscr.redundancy;

/**
 * Checksum of a stretch of one file, from whoever read it.
 *
 * @param ownerRank whose file
 * @param fileIndex which of the rank's files, counted from 0
 * @param offset first byte in that file
 * @param bytes length, more than 0
 * @param crc CRC-32 of the stretch
 */
public record PieceChecksum(int ownerRank, int fileIndex, long offset, long bytes, int crc) {}
