package io.vertxscr.flow.advice;

/**
 * Answer to the next calls.
 *
 * @param once only the next call; what comes after it is decided then
 */
public record Advice(Rule rule, boolean once) {}
