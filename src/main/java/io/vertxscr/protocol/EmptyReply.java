package io.vertxscr.protocol;

/** It is done, and there is nothing to say about it ({@link Verb#FINALIZE}). */
public record EmptyReply() {}
