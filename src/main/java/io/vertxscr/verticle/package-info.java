/** Thin verticles (an address, a codec and a delegate), how they are deployed, and the services of a node together. */
package io.vertxscr.verticle;
