/**
 * Blocking file work on one node: small files replaced whole, filemaps, the directories of the cache, and a rank's
 * files read and written as one.
 *
 * <p>All of it may wait for a disk: worker and transfer threads only, never an event loop.
 */
package io.vertxscr.storage;
