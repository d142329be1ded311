/**
 * Arithmetic on ranks and offsets: redundancy sets and layouts. Knows no files and no clock; every node computes the
 * same from the same input.
 */
package io.vertxscr.placement;
