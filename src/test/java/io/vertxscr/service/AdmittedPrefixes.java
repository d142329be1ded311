package io.vertxscr.service;

/** Prefix directories that are open to node n1. */
public final class AdmittedPrefixes {
  private AdmittedPrefixes() {}

  /** These, on the files of a loop. */
  public static Prefixes of(Loop loop, String... paths) {
    Prefixes prefixes = new Prefixes(loop, "n1");
    for (String path : paths) {
      prefixes.admit(path);
    }
    return prefixes;
  }
}
