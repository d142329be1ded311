/**
 * A file system that keeps, before every change below a directory, a copy of all that is in that directory: what a
 * process that is killed just then would leave behind. It takes the place of the default one in a process of its own.
 */
package io.vertxscr.recorded;
