package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;

/**
 * Whether a checkpoint should be written ({@link Verb#NEED_CHECKPOINT}); the same for the call of this number on every
 * rank.
 */
public record NeedCheckpointReply(boolean need) {}
