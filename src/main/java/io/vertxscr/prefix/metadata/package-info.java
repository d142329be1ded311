/** Metadata below {@code .scr} of a prefix directory: index, halt, flush, restart, rank maps, lock. Blocking. */
package io.vertxscr.prefix.metadata;
