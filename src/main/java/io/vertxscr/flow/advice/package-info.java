/**
 * Answers to a run between its phases: whether to stop, whether to write a checkpoint. All ranks get the same answer
 * without a message for each call. Pure.
 */
package io.vertxscr.flow.advice;
