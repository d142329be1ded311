/** Bounds on the connections that the servers of Vert.x accept: HTTP, event bus, TCP port of applications. */
package io.vertxscr.cluster.accept;
