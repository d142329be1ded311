/**
 * Protocol logic without clock, random source, file or Vert.x. Legal calls in a state, reduction of all nodes' parts,
 * restore plans. Services run what is decided here and feed the outcomes back.
 */
package io.vertxscr.flow;
