/**
 * Arithmetic on ranks and offsets: who protects whom, and which bytes lie where. Knows no files and no clock; every
 * node computes the same from the same input.
 */
package io.vertxscr.placement;
