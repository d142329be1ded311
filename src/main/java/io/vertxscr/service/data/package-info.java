/** Datasets on a node: protected, held, restored, fetched, flushed, evicted. */
package io.vertxscr.service.data;
