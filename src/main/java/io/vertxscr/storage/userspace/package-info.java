/** What file systems have in common that no kernel serves: paths, attributes, refusals. One root, no links. */
package io.vertxscr.storage.userspace;
