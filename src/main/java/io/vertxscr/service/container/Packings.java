package io.vertxscr.service.container;

import io.vertxscr.model.Fault;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.ContainerLayout;
import io.vertxscr.prefix.copy.container.PackedRanks;
import io.vertxscr.protocol.node.Flushing.Entries;
import io.vertxscr.protocol.node.Flushing.EntriesOf;
import io.vertxscr.protocol.node.Flushing.Packing;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where this node's files are in the containers of the flushes that are under way. On the node's loop. */
public final class Packings {
  private final String self;
  private final Map<Integer, PackedRanks> byDataset = new HashMap<>();

  public Packings(String self) {
    this.self = self;
  }

  /** The leader has said where they begin. @param ordered as it has named the ranks */
  public PackedRanks begin(int datasetId, Packing packing, List<RankFiles> ordered) {
    PackedRanks packed = new PackedRanks(
        new ContainerLayout(packing.containerBytes(), packing.alignBytes()), packing.offset(), ordered);
    byDataset.put(datasetId, packed);
    return packed;
  }

  /** For the map. @throws ScrException WRONG_STATE if nothing is known here: the daemon has begun anew meanwhile */
  public Entries entries(EntriesOf of) {
    PackedRanks packed = byDataset.get(of.datasetId());
    if (packed == null) {
      throw new ScrException(Fault.WRONG_STATE,
          "node " + self + " does not know where its files of dataset " + of.datasetId() + " are in containers");
    }
    return new Entries(of.ranks().stream().map(packed::files).toList(), of.ranks().stream().map(packed::start).toList(),
        packed.layout().containerBytes(), packed.layout().alignBytes());
  }

  public void end(int datasetId) {
    byDataset.remove(datasetId);
  }
}
