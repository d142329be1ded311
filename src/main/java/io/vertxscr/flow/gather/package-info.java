/** Collective steps as pure state: parts of ranks and nodes, and the reducers of their results. */
package io.vertxscr.flow.gather;
