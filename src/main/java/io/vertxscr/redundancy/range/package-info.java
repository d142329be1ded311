/**
 * Byte ranges of what nodes hold: a rank's files one after the other, and the redundancy files. Who needs bytes opens a
 * {@link io.vertxscr.redundancy.range.RangeSource} and pulls; it does not matter where they come from.
 */
package io.vertxscr.redundancy.range;
