package io.vertxscr.cli.scr;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** All fronts of this package. */
public final class JobFronts {
  /** Launchers that SCR has a command for, which is called like them. */
  private static final List<String> LAUNCHERS = List.of("srun", "jsrun", "lrun", "mpirun", "aprun", "flux");

  private JobFronts() {}

  /** Each by its name. */
  public static Map<String, Function<Surroundings, Front>> all() {
    Map<String, Function<Surroundings, Front>> fronts = new HashMap<>(Map.of(
        "scr_halt", HaltFront::new,
        "scr_halt_cntl", HaltControlFront::new,
        "scr_retries_halt", RetriesHaltFront::new,
        "scr_prerun", PrerunFront::new,
        "scr_postrun", PostrunFront::new,
        "scr_should_exit", ShouldExitFront::new,
        "scr_list_down_nodes", ListDownNodesFront::new,
        "scr_env", EnvironmentFront::new,
        "scr_nodes_file", NodesFileFront::new,
        "scr_run", here -> new RunFront(here, Optional.empty())));
    LAUNCHERS.forEach(launcher -> fronts.put("scr_" + launcher, here -> new RunFront(here, Optional.of(launcher))));
    fronts.put("scr_fluxrun", fronts.get("scr_flux"));
    return fronts;
  }
}
