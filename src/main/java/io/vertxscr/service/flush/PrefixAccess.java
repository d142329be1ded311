package io.vertxscr.service.flush;

/**
 * Who may change a prefix directory, and when.
 *
 * @param turns mutual exclusion of what changes names, within this leader
 * @param tokens fencing of other leaders
 */
public record PrefixAccess(PrefixTurns turns, PrefixTokens tokens) {}
