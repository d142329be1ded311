/**
 * An object store as a file system. A port over what S3-compatible stores do, and the files, directories and locks that
 * the rest of the program sees (docs/flows/object-store.md). Blocking.
 */
package io.vertxscr.storage.object;
