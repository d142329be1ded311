/** Bounds on connections that servers accept, and on frames of the event bus. Tells whose key has sent a message. */
package io.vertxscr.cluster.accept;
