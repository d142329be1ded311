/**
 * Runs blocking transfers on a fixed set of platform threads, with reused direct buffers.
 *
 * <p>Beside it stands the rule that keeps nodes from waiting for each other in a circle: a transfer may block on bytes
 * of a peer, a server of bytes to a peer never waits for a transfer: no deadlock. Peers are served by threads of their
 * own.
 */
package io.vertxscr.transfer;
