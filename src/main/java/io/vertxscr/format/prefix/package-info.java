/**
 * Files of a prefix directory: index, summaries, rank maps, flush status, halt file. As in {@link io.vertxscr.format},
 * whose tree they share: bytes in, typed records out, and back.
 */
package io.vertxscr.format.prefix;
