/** Commands under SCR's names about datasets: index, flush file, copies, the log, single files. */
package io.vertxscr.cli.scr.data;
