/** The commands of {@code bin/scr}. */
package io.vertxscr.cli;
