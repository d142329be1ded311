/**
 * Validity of datasets in the prefix directory: publication, withdrawal, retention. Blocking, and idempotent step by
 * step: a step that was interrupted anywhere is repeated.
 */
package io.vertxscr.prefix.publish;
