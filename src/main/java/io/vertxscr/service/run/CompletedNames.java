package io.vertxscr.service.run;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The names of datasets that were completed while this daemon lives, in which prefix directory: what has left the
 * caches since, and was never flushed, has left no other trace. The newest ones; on the node's loop.
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
