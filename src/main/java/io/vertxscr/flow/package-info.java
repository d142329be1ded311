/**
 * Protocol logic without clock, random source, file or Vert.x: what a call may do in a state, how the parts of all
 * nodes become one result, what a restart has to do. Services run what is decided here and feed the outcomes back.
 */
package io.vertxscr.flow;
