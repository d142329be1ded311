/**
 * Deterministic simulation of whole clusters: real services and storage code in one thread, with virtual time, a
 * simulated network, membership views and disks. See docs/simulation.md.
 */
package io.vertxscr.simulation;
