/** What the leader tells a run between its phases: whether to stop, whether to write a checkpoint. */
package io.vertxscr.service.advice;
