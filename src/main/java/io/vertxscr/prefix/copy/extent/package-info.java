/**
 * How the work of a flush is cut into pieces. These are {@link io.vertxscr.prefix.copy.extent.Extent}s, which copy
 * files to places of their own or into containers, and are paced, counted and repeated in the same way.
 */
package io.vertxscr.prefix.copy.extent;
