/** Connections of whoever can reach a port: how many may wait there without a proof, and for how long. */
package io.vertxscr.cluster.admission;
