/**
 * Files that are compressed with zstd in the prefix directory ({@code docs/formats/compressed.md}). Blocking: for
 * threads that move bulk bytes.
 */
package io.vertxscr.prefix.copy.zstd;
