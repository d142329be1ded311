/**
 * The HTTP port for those who operate the machine: metrics and health. Nothing can be changed by way of it; what it
 * takes of the daemon is bounded.
 */
package io.vertxscr.cluster.ops;
