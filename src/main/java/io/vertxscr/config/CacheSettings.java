package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.Limits;
import io.vertxscr.model.StoreDescriptor;
import java.nio.file.Path;
import java.util.List;

/**
 * Locations of a node's state and datasets.
 *
 * @param controlBase absolute; the control directory is below it
 * @param cacheBase absolute; the base of the default store
 * @param stores all that the system allows, that one among them
 * @param pieceBytes of one piece of a transfer (SCR_FILE_BUF_SIZE)
 */
public record CacheSettings(Path controlBase, Path cacheBase, List<StoreDescriptor> stores, int pieceBytes) {
  public CacheSettings {
    Checks.absolute("control base", controlBase);
    Checks.absolute("cache base", cacheBase);
    stores = List.copyOf(stores);
    Checks.range("bytes of a piece", pieceBytes, Limits.MIN_PIECE_BYTES, Limits.MAX_PIECE_BYTES);
  }
}
