/** Measures real daemons from outside: speed, CPU, memory, beside the machine's reference rates. */
package io.vertxscr.load;
