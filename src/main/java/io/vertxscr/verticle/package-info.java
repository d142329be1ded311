/**
 * Thin verticles, their deployment, and the services of a node together. A verticle is an address, a codec and a
 * delegate.
 */
package io.vertxscr.verticle;
