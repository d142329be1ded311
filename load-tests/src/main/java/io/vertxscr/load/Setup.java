package io.vertxscr.load;

import java.util.Map;

/**
 * The daemons of a case.
 *
 * @param direct whether files of nodes on this host are read by path
 * @param nodes with ranks; rank r is on node r modulo nodes
 * @param settings more variables for the daemons
 */
record Setup(String scheme, boolean direct, int nodes, int ranks, Map<String, String> settings) {
  String label() {
    return scheme + "-" + (direct ? "direct" : "tcp");
  }
}
