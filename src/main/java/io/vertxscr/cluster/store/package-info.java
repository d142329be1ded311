/** Object stores by the S3 protocol. The adapter over the client library, and the mounts of a process. */
package io.vertxscr.cluster.store;
