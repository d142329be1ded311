package io.vertxscr.protocol;

/** A question that needs no words. */
public record EmptyRequest() {}
