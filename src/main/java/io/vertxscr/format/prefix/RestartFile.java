package io.vertxscr.format.prefix;

import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.DatasetKey;
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
 *           LAST -> 10             highest dataset id that was known then
 *   DSET -> 5 -> NAME -> b.5       checkpoints that were read, since a run got any further
 *                CREATED -> 1312850690668536
 *                LOADS -> 3
 *                RUN -> 1312850690700000
 *                QUARANTINED -> 0
 *   FOLLOWED -> CACHE_PURGE -> 6f3d...    launch whose first run began with empty caches because it wanted to
 *               PREFIX_PURGE -> 6f3d...   the same of the prefix directory
 *               CURRENT -> 6f3d.../b.5    the same of the checkpoint that SCR_CURRENT names
 *   LEFT -> 0 -> RUN -> 1312850690700000     run that restarted from this dataset and completed another one
 *                DSET -> 4
 *                CREATED -> 1312850690668000
 *   REMOVED -> 0 -> DSET -> 3                dataset that somebody has dropped or deleted
 *                   CREATED -> 1312850690667000
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
    if (!history.followed().isEmpty()) {
      Hash followed = hash.at("FOLLOWED");
      history.followed().forEach((wish, launch) -> followed.set(wish.name(), launch));
    }
    if (!history.departures().isEmpty()) {
      Hash left = hash.at("LEFT");
      for (int i = 0; i < history.departures().size(); i++) {
        RestartHistory.Departure departure = history.departures().get(i);
        left.at(Integer.toString(i)).set("RUN", departure.run()).set("DSET", departure.datasetId())
            .set("CREATED", departure.createdUs());
      }
    }
    if (!history.removed().isEmpty()) {
      Hash removed = hash.at("REMOVED");
      for (int i = 0; i < history.removed().size(); i++) {
        DatasetKey dataset = history.removed().get(i);
        removed.at(Integer.toString(i)).set("DSET", dataset.id()).set("CREATED", dataset.createdUs());
      }
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
          from.text("NAME"), from.integer("LAST", 0))), loads, fields.integer("LAST", 0),
          fields.find("FOLLOWED").map(RestartFile::followed).orElse(Map.of()),
          fields.listed("LEFT").stream().map(left -> new RestartHistory.Departure(
              left.integer("DSET", 1), left.number("CREATED", 0), left.number("RUN", 1))).toList(),
          fields.listed("REMOVED").stream().map(removed ->
              new DatasetKey(removed.integer("DSET", 1), removed.number("CREATED", 0))).toList());
    });
  }

  private static Map<RestartHistory.Wish, String> followed(Fields fields) {
    Map<RestartHistory.Wish, String> all = new EnumMap<>(RestartHistory.Wish.class);
    for (RestartHistory.Wish wish : RestartHistory.Wish.values()) {
      fields.findText(wish.name()).ifPresent(launch -> all.put(wish, launch));
    }
    return all;
  }
}
