/** Messages of the life of a run: membership of ranks, gathers, takeover. */
package io.vertxscr.protocol.node.run;
