/** What a leader keeps of a prefix directory and its file system while datasets are flushed there. */
package io.vertxscr.service.flush;
