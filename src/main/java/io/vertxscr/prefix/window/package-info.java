/** Which datasets stay in a prefix directory, and which go. */
package io.vertxscr.prefix.window;
