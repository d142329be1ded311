/**
 * Java client: {@link io.vertxscr.client.Scr} with blocking calls, {@link io.vertxscr.client.ScrClient} with futures.
 * Over the node's Unix socket or, as a member of the cluster, over the event bus.
 */
package io.vertxscr.client;
