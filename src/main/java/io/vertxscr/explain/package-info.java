/** Why a dataset can or cannot be restarted from, its remaining tolerance, and remedies. Pure, from observations. */
package io.vertxscr.explain;
