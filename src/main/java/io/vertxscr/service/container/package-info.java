/** Container aggregation: files of many ranks in few large files of the prefix directory. */
package io.vertxscr.service.container;
