/**
 * Containers (docs/flows/containers.md): files {@code .scr/ctr.<id>.scr} with the bytes of many small ones. Written by
 * all nodes at the same time, each its own range; read by the segments of a file in the rank2file map.
 */
package io.vertxscr.prefix.copy.container;
