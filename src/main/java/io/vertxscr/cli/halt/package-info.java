/** {@code scr halt}: how somebody outside tells a run when to stop. */
package io.vertxscr.cli.halt;
