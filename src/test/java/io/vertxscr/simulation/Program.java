package io.vertxscr.simulation;

/**
 * A program that runs on the nodes, again and again, with a prefix directory of its own.
 *
 * @param prefix its prefix directory
 * @param ranksPerNode of each of its nodes
 * @param ledger what its ranks have written
 * @param inspection of its prefix directory
 */
record Program(String prefix, int ranksPerNode, Ledger ledger, PrefixInspection inspection) {}
