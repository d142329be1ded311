/**
 * A node put together, in a cluster of its own process or of an allocation. It has its ground (storage, threads, peer
 * port), its services and verticles. The clusters: {@link io.vertxscr.node.EmbeddedCluster} and
 * {@link io.vertxscr.node.ClusteredNode}.
 */
package io.vertxscr.node;
