package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whether the application is to end ({@link Verb#SHOULD_EXIT}). Calls of the same number have the same answer on every
 * rank.
 *
 * @param reason of the halt file; missing where it is not to end
 * @param until the same is answered to all calls of the rank up to this one; missing where only the call itself is
 */
public record ShouldExitReply(boolean exit, Optional<String> reason, OptionalLong until) {}
