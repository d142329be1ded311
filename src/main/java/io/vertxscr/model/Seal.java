package io.vertxscr.model;

/**
 * What a file was when its bytes began to be compared with a checksum, or to be read for one. As long as it is all of
 * this, in the same mount of the file system, nobody has written to it since.
 *
 * @param modifiedSeconds when its bytes changed last, or as somebody has set it: seconds since 1970, negative before
 * @param modifiedNanos and the rest of that, as {@link FileMeta.Stamp} has it
 * @param changedSeconds when its bytes or attributes changed last, which no program can set
 * @param changedNanos and the rest of that
 */
public record Seal(long device, long inode, long bytes, long modifiedSeconds, int modifiedNanos, long changedSeconds,
    int changedNanos) {}
