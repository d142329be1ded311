package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;

/** It is done, and there is nothing to say about it ({@link Verb#FINALIZE}, {@link Verb#ALIVE}). */
public record EmptyReply() {}
