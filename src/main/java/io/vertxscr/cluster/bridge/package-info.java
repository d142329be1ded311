/**
 * Unix socket of a node for applications in any language. It has the frames of the Vert.x TCP event-bus bridge, on a
 * server of our own (docs/decisions/0003-application-bridge.md).
 */
package io.vertxscr.cluster.bridge;
