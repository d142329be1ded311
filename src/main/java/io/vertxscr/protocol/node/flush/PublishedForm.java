package io.vertxscr.protocol.node.flush;

/** Form of a dataset's files in the prefix directory. */
public enum PublishedForm { FILES, COMPRESSED, CONTAINERS }
