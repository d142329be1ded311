/** Thin verticles (an address, a codec and a delegate), how they are deployed, and the assembly of a node. */
package io.vertxscr.verticle;
