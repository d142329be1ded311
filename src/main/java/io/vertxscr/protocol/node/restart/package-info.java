/** Messages that bring a dataset's files to the nodes of its ranks. */
package io.vertxscr.protocol.node.restart;
