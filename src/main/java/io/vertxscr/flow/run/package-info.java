/** State of a session of ranks, and the rank map that a new run gets. */
package io.vertxscr.flow.run;
