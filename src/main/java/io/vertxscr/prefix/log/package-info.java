/** The log of a prefix directory. */
package io.vertxscr.prefix.log;
