/** Commands around a job: {@code scr run} and those for job scripts (docs/flows/launch.md). */
package io.vertxscr.cli.launch;
