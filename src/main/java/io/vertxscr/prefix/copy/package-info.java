/** Copies the files of a dataset to the prefix directory and back, each byte with its checksum. Blocking. */
package io.vertxscr.prefix.copy;
