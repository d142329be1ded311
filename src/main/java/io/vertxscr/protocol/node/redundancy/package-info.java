/** Messages between the members of redundancy sets while they protect a dataset. */
package io.vertxscr.protocol.node.redundancy;
