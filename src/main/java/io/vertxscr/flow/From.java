package io.vertxscr.flow;

/** A part and the node that it came from. */
public record From<T>(String node, T part) {}
