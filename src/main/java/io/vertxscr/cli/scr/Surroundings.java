package io.vertxscr.cli.scr;

import java.util.Map;

/**
 * Environment of a front.
 *
 * @param environment of the process
 */
public record Surroundings(Map<String, String> environment, OurCommands ours) {}
