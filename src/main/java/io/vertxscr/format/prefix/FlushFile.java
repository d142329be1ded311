package io.vertxscr.format.prefix;

import io.vertxscr.format.DescriptorHash;
import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.FlushStatus.FlushEntry;
import io.vertxscr.format.prefix.FlushStatus.Location;
import io.vertxscr.model.DatasetDescriptor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code <prefix>/.scr/flush.scr}.
 * <pre>
 *   DATASET -> 6 -> LOCATION -> CACHE, FLUSHING
 *                   NAME -> b.6
 *                   CKPT -> 1           missing if it is no checkpoint
 *                   OUTPUT -> 1         missing if it is no output
 *                   DSETDESC/descriptor
 * </pre>
 * NAME, CKPT and OUTPUT repeat the descriptor, for tools that look no deeper.
 */
public final class FlushFile {
  private static final String KIND = "flush file";

  private FlushFile() {}

  /** The whole file. */
  public static byte[] encode(FlushStatus status) {
    Hash hash = new Hash();
    Hash datasets = hash.at("DATASET");
    for (FlushEntry entry : status.entries()) {
      DatasetDescriptor descriptor = entry.descriptor();
      Hash dataset = datasets.at(Integer.toString(descriptor.id()));
      for (Location location : Location.values()) {
        if (entry.locations().contains(location)) {
          dataset.add("LOCATION", location);
        }
      }
      dataset.set("NAME", descriptor.name());
      if (descriptor.flags().checkpoint()) {
        dataset.set("CKPT", 1);
      }
      if (descriptor.flags().output()) {
        dataset.set("OUTPUT", 1);
      }
      dataset.put("DSETDESC", DescriptorHash.encode(descriptor, true));
    }
    return HashFile.encode(hash);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static FlushStatus decode(byte[] file) {
    return Fields.read(file, KIND, fields -> {
      List<FlushEntry> entries = new ArrayList<>();
      for (Map.Entry<Integer, Fields> dataset : fields.numbered("DATASET").entrySet()) {
        entries.add(entry(dataset.getKey(), dataset.getValue()));
      }
      return new FlushStatus(entries);
    });
  }

  private static FlushEntry entry(int id, Fields dataset) {
    dataset.child("DSETDESC").expect("ID", id);
    Set<Location> locations = EnumSet.noneOf(Location.class);
    dataset.texts("LOCATION").forEach(text -> locations.add(dataset.constant("LOCATION", Location.class, text)));
    if (locations.isEmpty()) {
      throw dataset.corrupt("LOCATION", "missing");
    }
    return new FlushEntry(DescriptorHash.decode(dataset.child("DSETDESC")), locations);
  }
}
