package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.RestartHistory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * {@code <prefix>/.scr/restart.scr}: what became of the restarts from here. Not a file of SCR.
 * <pre>
 *   LAST -> 12                     highest dataset id that was known
 *   FROM -> DSET -> 5              missing if restarts begin with the newest checkpoint
 *           NAME -> b.5
 *           JOB -> 439             allocation in which somebody said so
 *           LAST -> 10             highest dataset id that was known then
 *   DSET -> 5 -> NAME -> b.5       checkpoints that were read, since a run got any further
 *                CREATED -> 1312850690668536
 *                LOADS -> 3
 *                RUN -> 1312850690700000
 *                QUARANTINED -> 0
 *   EMPTIED -> CACHE -> 439        allocation whose first run began with empty caches because it wanted to
 *              PREFIX -> 439       the same of the prefix directory
 * </pre>
 */
public final class RestartFile {
  private static final String KIND = "restart file";

  private RestartFile() {}

  /** The whole file. */
  public static byte[] encode(RestartHistory history) {
    Hash hash = new Hash().set("LAST", history.lastDatasetId());
    history.from().ifPresent(from -> hash.at("FROM")
        .set("DSET", from.datasetId())
        .set("NAME", from.name())
        .set("JOB", from.job())
        .set("LAST", from.lastDatasetId()));
    Hash datasets = hash.at("DSET");
    for (RestartHistory.Load load : history.loads()) {
      datasets.at(Integer.toString(load.datasetId()))
          .set("NAME", load.name())
          .set("CREATED", load.createdUs())
          .set("LOADS", load.times())
          .set("RUN", load.run())
          .set("QUARANTINED", Fields.flag(load.quarantined()));
    }
    if (!history.emptied().isEmpty()) {
      Hash emptied = hash.at("EMPTIED");
      history.emptied().forEach((place, allocation) -> emptied.set(place.name(), allocation));
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static RestartHistory decode(byte[] file) {
    return Fields.read(file, KIND, fields -> {
      List<RestartHistory.Load> loads = new ArrayList<>();
      for (Map.Entry<Integer, Fields> dataset : fields.numbered("DSET").entrySet()) {
        Fields load = dataset.getValue();
        loads.add(new RestartHistory.Load(dataset.getKey(), load.number("CREATED", 0), load.text("NAME"),
            load.integer("LOADS", 1), load.findNumber("RUN", 0).orElse(0), load.flag("QUARANTINED")));
      }
      return new RestartHistory(fields.find("FROM").map(from -> new RestartHistory.From(from.integer("DSET", 1),
          from.text("NAME"), from.text("JOB"), from.integer("LAST", 0))), loads, fields.integer("LAST", 0),
          fields.find("EMPTIED").map(RestartFile::emptied).orElse(Map.of()));
    });
  }

  private static Map<RestartHistory.Place, String> emptied(Fields fields) {
    Map<RestartHistory.Place, String> all = new EnumMap<>(RestartHistory.Place.class);
    for (RestartHistory.Place place : RestartHistory.Place.values()) {
      fields.findText(place.name()).ifPresent(allocation -> all.put(place, allocation));
    }
    return all;
  }
}
