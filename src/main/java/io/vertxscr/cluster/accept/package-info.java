/** Bounds on the connections that servers accept: HTTP, event bus, TCP port of applications. */
package io.vertxscr.cluster.accept;
