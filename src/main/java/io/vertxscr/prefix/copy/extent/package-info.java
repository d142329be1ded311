/**
 * Units of work of a flush: {@link io.vertxscr.prefix.copy.extent.Extent}s. They copy files to paths of their own or
 * into containers, and are rate-limited, counted and retried alike.
 */
package io.vertxscr.prefix.copy.extent;
