/**
 * The files of a prefix directory: index, summaries, maps of files to ranks, what is being flushed, the halt file. As
 * in {@link io.vertxscr.format}, whose tree they share: bytes in, typed records out, and back.
 */
package io.vertxscr.format.prefix;
