/** Measures real daemons from outside: how fast, how much CPU, how much memory, beside what the machine can do. */
package io.vertxscr.load;
