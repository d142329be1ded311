package io.vertxscr.protocol.app;

import io.vertxscr.protocol.Verb;
import java.util.Optional;

/**
 * Answers {@link Verb#CONFIG}.
 *
 * @param value the set value; missing if there is none
 */
public record ConfigReply(Optional<String> value) {}
