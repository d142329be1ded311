/** {@code scr halt}: conditions on which a run stops, set from outside. */
package io.vertxscr.cli.halt;
