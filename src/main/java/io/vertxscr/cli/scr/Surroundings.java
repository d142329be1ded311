package io.vertxscr.cli.scr;

import java.util.Map;

/**
 * What a front works with.
 *
 * @param environment of the process
 */
public record Surroundings(Map<String, String> environment, OurCommands ours) {}
