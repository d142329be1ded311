/** Commands under SCR's names around a job: launching, halting, nodes. */
package io.vertxscr.cli.scr.job;
