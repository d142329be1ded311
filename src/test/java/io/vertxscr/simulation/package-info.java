/**
 * Deterministic simulation of whole clusters. Real services and storage code run in one thread, with virtual time, a
 * simulated network, membership views and disks. See docs/simulation.md.
 */
package io.vertxscr.simulation;
