/** Formats tables, sizes and lists of ranks in the output of commands. */
package io.vertxscr.cli.text;
