package io.vertxscr.flow.advice;

/**
 * Calls that are answered by one rule.
 *
 * @param to number of the last of them; the first is that after the span before
 */
public record Span(long to, Rule rule) {}
