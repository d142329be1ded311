package io.vertxscr.protocol.app;

/** A question that needs no words. */
public record EmptyRequest() {}
