/**
 * Who is a member: certificates that follow from the cluster's secret or that a site gives, and mutual TLS 1.3 on
 * Hazelcast's own connections.
 */
package io.vertxscr.cluster.tls;
