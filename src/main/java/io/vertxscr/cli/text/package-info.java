/** How commands write tables, sizes and lists of ranks for people. */
package io.vertxscr.cli.text;
