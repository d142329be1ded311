package io.vertxscr.cli.scr;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** All fronts of this package. */
public final class DataFronts {
  private DataFronts() {}

  /** Each by its name. */
  public static Map<String, Function<Surroundings, Front>> all() {
    Map<String, Function<Surroundings, Front>> fronts = new HashMap<>(Map.of(
        "scr_index", IndexFront::new,
        "scr_flush_file", FlushFileFront::new,
        "scr_copy", CopyFront::new,
        "scr_crc32", ChecksumFront::new,
        "scr_log_event", LogEventFront::new,
        "scr_log_transfer", LogTransferFront::new,
        "scr_ckpt_interval", IntervalFront::new,
        "scr_have_restart", HaveRestartFront::new,
        "scr_print", PrintFront::new));
    fronts.put("kvtree_print", PrintFront::new);
    fronts.put("kvtree_print_file", PrintFront::new);
    return fronts;
  }
}
