/**
 * Everything that happens in the prefix directory on the parallel file system: publishing a dataset, finding it again,
 * reading it back. Blocking, and idempotent step by step: whatever died in the middle, the step can simply be repeated.
 */
package io.vertxscr.prefix;
