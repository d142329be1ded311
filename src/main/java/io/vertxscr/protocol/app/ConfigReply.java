package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.Optional;

/**
 * Answers {@link Verb#CONFIG}.
 *
 * @param value what somebody has set; missing where nobody has
 */
public record ConfigReply(Optional<String> value) {}
