/**
 * A file system that copies a directory before every change below it. The state that a kill at that moment leaves. It
 * takes the place of the default one in a process of its own.
 */
package io.vertxscr.recorded;
