/** Advice of the leader between phases: whether to stop, whether to write a checkpoint. */
package io.vertxscr.service.advice;
