/**
 * Offline commands, without daemons. They read, and some of them write, the prefix directory and the control and cache
 * directories of this machine. Exit codes: 0 good, 1 something is wrong with what they looked at, 2 wrong use.
 */
package io.vertxscr.cli.offline;
