/**
 * Commands under SCR's names. Each accepts the options of SCR 3.1, short ones too, answers in SCR's form and with SCR's
 * exit codes, and delegates the work to our own commands or to the classes that they use. {@code bin/scr}, called by
 * such a name, hands it on as the first word; {@link io.vertxscr.cli.scr.ScrNames} lists them.
 */
package io.vertxscr.cli.scr;
