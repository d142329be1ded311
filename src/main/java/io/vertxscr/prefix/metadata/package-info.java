/**
 * The metadata below `.scr` of a prefix directory: index, halt, flush and restart files, rank maps, the lock. Blocking.
 */
package io.vertxscr.prefix.metadata;
