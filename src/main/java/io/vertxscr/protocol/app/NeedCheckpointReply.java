package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.OptionalLong;

/**
 * Whether a checkpoint should be written ({@link Verb#NEED_CHECKPOINT}); the same for the call of this number on every
 * rank.
 *
 * @param until the same is answered to all calls of the rank up to this one; missing where only the call itself is
 */
public record NeedCheckpointReply(boolean need, OptionalLong until) {}
