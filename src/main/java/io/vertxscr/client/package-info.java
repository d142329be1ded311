/**
 * The Java client: {@link io.vertxscr.client.Scr} for plain programs, whose calls wait, {@link
 * io.vertxscr.client.ScrClient} for those that have futures. Over the node's Unix socket or, as a member of the
 * cluster, over the event bus.
 */
package io.vertxscr.client;
