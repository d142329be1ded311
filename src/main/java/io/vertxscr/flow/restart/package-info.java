/** Which checkpoint a run restarts from, and what each node does for it. */
package io.vertxscr.flow.restart;
