package io.vertxscr.flow.advice;

/**
 * What the next calls are to be answered.
 *
 * @param once only the next call; what comes after it is decided then
 */
public record Wanted(Rule rule, boolean once) {}
