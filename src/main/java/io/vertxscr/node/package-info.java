/**
 * A node put together: its ground (storage, threads, peer port), its services and verticles, in a cluster of its own
 * process ({@link io.vertxscr.node.EmbeddedCluster}) or of an allocation ({@link io.vertxscr.node.ClusteredNode}).
 */
package io.vertxscr.node;
