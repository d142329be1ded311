/**
 * Offline path of a dataset from the caches to the prefix directory. It is copied node by node
 * ({@link io.vertxscr.scavenge.ScavengeCopy}), scanned, completed from its redundancy, and published
 * ({@link io.vertxscr.scavenge.DatasetAssembly}). Blocking, for commands; no cluster is needed.
 *
 * <pre>
 *   cache of each node -- ScavengeCopy --> .scr/scr.dataset.id/  rank.r/..., m_of_n_in_s.xor, r.scrfilemap
 *   DatasetScanner -> DatasetScan -> rebuild what is missing -> files to their places, rank2file, summary, index
 * </pre>
 */
package io.vertxscr.scavenge;
