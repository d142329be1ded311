/** Commands around a job: {@code scr run} and those for people who write their own scripts (docs/flows/launch.md). */
package io.vertxscr.cli.launch;
