/**
 * Containers (docs/flows/containers.md): large files {@code .scr/ctr.<id>.scr} in a dataset's directory that hold the
 * bytes of many small ones. Written by all nodes at the same time, each its own stretch; read by whoever has the
 * segments of a file from the rank2file map.
 */
package io.vertxscr.prefix.copy.container;
