package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.Optional;

/**
 * Whether the application is to end ({@link Verb#SHOULD_EXIT}); the same for the call of this number on every rank.
 *
 * @param reason of the halt file; missing where it is not to end
 */
public record ShouldExitReply(boolean exit, Optional<String> reason) {}
