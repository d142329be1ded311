/** Why a dataset can or cannot be restarted from, what would lose it, and what to do: pure, from what was seen. */
package io.vertxscr.explain;
