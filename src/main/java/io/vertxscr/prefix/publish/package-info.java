/**
 * What makes a dataset of the prefix directory valid, replaced or gone: publication, withdrawal, retention. Blocking,
 * and idempotent step by step: a step that was interrupted anywhere is repeated.
 */
package io.vertxscr.prefix.publish;
