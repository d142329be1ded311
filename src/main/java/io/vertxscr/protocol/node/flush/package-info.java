/** Messages that bring a dataset to the prefix directory. */
package io.vertxscr.protocol.node.flush;
