/** Collective steps as pure state: parts of ranks and nodes, and the reducers that make one result of them. */
package io.vertxscr.flow.gather;
