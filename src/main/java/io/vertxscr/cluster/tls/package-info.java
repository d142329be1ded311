/**
 * Credentials of members, and mutual TLS 1.3 on Hazelcast's own connections. Certificates follow from the cluster's
 * secret, or a site gives them.
 */
package io.vertxscr.cluster.tls;
