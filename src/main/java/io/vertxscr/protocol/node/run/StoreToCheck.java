package io.vertxscr.protocol.node.run;

/** One of them. @param mkdir whether its base is made if it is not there */
public record StoreToCheck(String base, boolean mkdir) {}
