package io.vertxscr.flow.gather;

/** A part and the node that it came from. */
public record NodeContribution<T>(String node, T part) {}
