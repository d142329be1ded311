/**
 * Byte ranges between nodes over TCP: server, client, and the protocol between them.
 *
 * <p>Everything here blocks on platform threads with channels in blocking mode. A silent or dead peer never holds a
 * thread forever: {@link io.vertxscr.cluster.peer.PeerWatchdog} closes the channels on which nothing moves. Nobody
 * here uses {@link Thread#interrupt}, which would close channels that are in good health.
 */
package io.vertxscr.cluster.peer;
