/**
 * What a run is told between its phases: whether to stop, whether to write a checkpoint; and how every rank is told the
 * same without a message for each call. Pure.
 */
package io.vertxscr.flow.advice;
