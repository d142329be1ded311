/**
 * Arithmetic on bytes: exclusive or, and checksums of pieces put together. Knows no files.
 */
package io.vertxscr.coding;
