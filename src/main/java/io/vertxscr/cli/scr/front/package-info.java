/** What all commands under SCR's names have in common. */
package io.vertxscr.cli.scr.front;
