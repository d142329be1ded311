/** Paths that several ranks of a run have in one dataset: how they are found without anybody seeing all paths. */
package io.vertxscr.flow.paths;
