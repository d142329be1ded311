/** Detection of paths that several ranks of a run have in one dataset, by hash partitioning. */
package io.vertxscr.flow.paths;
