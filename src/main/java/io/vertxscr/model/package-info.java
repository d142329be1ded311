/**
 * The words of the domain: datasets, nodes, ranks, faults, limits. Plain values that check themselves; every other
 * package speaks in them, and they know none of the others.
 */
package io.vertxscr.model;
