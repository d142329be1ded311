/**
 * Blocking file work on one node. Atomic small files, filemaps, cache directories, logical files of ranks.
 *
 * <p>All of it may wait for a disk: worker and transfer threads only, never an event loop.
 */
package io.vertxscr.storage;
