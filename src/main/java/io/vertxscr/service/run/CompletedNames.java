package io.vertxscr.service.run;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Names of datasets completed since the start of this daemon, by prefix directory. A dataset that was evicted without a
 * flush leaves no other trace. The newest ones; on the node's loop.
 */
public final class CompletedNames {
  private static final int MOST = 65_536;

  private final Set<Completed> names = new LinkedHashSet<>();

  private record Completed(String prefix, String name) {}

  public void add(String prefix, String name) {
    names.add(new Completed(prefix, name));
    if (names.size() > MOST) {
      names.remove(names.iterator().next());
    }
  }

  public boolean has(String prefix, String name) {
    return names.contains(new Completed(prefix, name));
  }
}
