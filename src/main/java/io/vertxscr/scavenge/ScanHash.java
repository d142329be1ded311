package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.format.DescriptorHash;
import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.model.FileMeta;
import io.vertxscr.scavenge.DatasetScan.SetFile;
import java.util.Collection;
import java.util.SortedMap;

/**
 * A scan and what can be done about it, as the tree that SCR calls the scan hash. Nobody reads it but people.
 * <pre>
 *   DLIST -> 6 -> UNRECOVERABLE                      missing if all can be had
 *                 BUILD -> XOR set 0: rank 2         one for each rank that will be rebuilt
 *                 INVALID                            missing if no file is missing
 *                 MISSING -> 2, ...                  ranks
 *                 DSET/descriptor
 *                 RANK2FILE -> RANKS -> 4
 *                              RANK -> 2 -> FILES -> 2
 *                                           FILE -> rank.2/a.ckpt -> SIZE -> 524296
 *                                                                    CRC -> 0x738bb68f
 *                                                   3_of_4_in_0.xor -> NOFETCH
 *                                                                      SIZE, CRC
 *                 XOR -> 0 -> MEMBERS -> 4           the same below PARTNER and others
 *                             MEMBER -> 2 -> FILE -> 3_of_4_in_0.xor       numbered from 0
 *                                            RANK -> 2
 * </pre>
 */
public final class ScanHash {
  private ScanHash() {}

  /** The whole tree, as a hash file. */
  public static byte[] encode(DatasetScan scan, MissingFiles missing) {
    Hash dataset = new Hash();
    Hash whole = new Hash();
    whole.at("DLIST").put(Integer.toString(scan.descriptor().id()), dataset);
    if (!missing.unrecoverable().isEmpty()) {
      dataset.at("UNRECOVERABLE");
    }
    for (RankPlan plan : missing.rebuilds()) {
      dataset.add("BUILD", scan.scheme() + " set " + plan.set().id() + ": rank " + plan.rank());
    }
    if (!scan.missing().isEmpty()) {
      dataset.at("INVALID");
      scan.missing().forEach(rank -> dataset.add("MISSING", rank));
    }
    dataset.put("DSET", DescriptorHash.encode(scan.descriptor(), scan.missing().isEmpty()));
    Hash map = dataset.at("RANK2FILE").set("RANKS", scan.worldRanks());
    ranks(scan.ranks(), scan.redundancy(), map.at("RANK"));
    scan.redundancy().forEach(file -> member(file, dataset.at(file.file().scheme().name())));
    return HashFile.encode(whole);
  }

  private static void ranks(
      SortedMap<Integer, DatasetScan.Rank> ranks, Collection<SetFile> redundancy, Hash into) {
    ranks.forEach((number, rank) -> {
      Hash files = into.at(Integer.toString(number)).set("FILES", rank.expectedFiles()).at("FILE");
      for (FileMeta file : rank.good().files()) {
        Hash entry = files.at(file.name()).set("SIZE", file.bytes());
        file.crc().ifPresent(crc -> entry.set("CRC", Fields.crc(crc)));
      }
    });
    for (SetFile file : redundancy) {
      Hash entry = into.at(Integer.toString(file.rank())).at("FILE").at(file.file().name());
      entry.at("NOFETCH");
      entry.set("SIZE", file.file().bytes()).set("CRC", Fields.crc(file.file().crc()));
    }
  }

  private static void member(SetFile file, Hash sets) {
    Hash set = sets.at(Integer.toString(file.set().id()));
    if (set.children().isEmpty()) {
      set.set("MEMBERS", file.set().size());
    }
    Hash member = set.at("MEMBER").at(Integer.toString(file.set().memberOf(file.rank())));
    if (member.children().isEmpty()) {                    // of two generations of one set the first is shown
      member.set("FILE", file.file().name()).set("RANK", file.rank());
    }
  }
}
