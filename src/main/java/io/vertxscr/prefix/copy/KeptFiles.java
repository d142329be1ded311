package io.vertxscr.prefix.copy;

import io.vertxscr.prefix.metadata.PrefixPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of datasets whose paths a later one has taken that is not complete yet. */
public final class KeptFiles {
  private KeptFiles() {}

  /** Those that had a path before; nothing but its checksum says which of them is of what dataset. */
  public static List<Path> of(PrefixPaths paths, String relative) {
    String beginning = paths.keptOfAny(relative).getFileName().toString();
    List<Path> kept = new ArrayList<>();
    try (var siblings = Files.newDirectoryStream(paths.file(relative).getParent(),
        path -> path.getFileName().toString().startsWith(beginning))) {
      siblings.forEach(kept::add);
    } catch (IOException _) {
      return List.of();                                   // without its directory there is nothing beside it
    }
    return kept;
  }
}
