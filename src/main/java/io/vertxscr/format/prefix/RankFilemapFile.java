package io.vertxscr.format.prefix;

import io.vertxscr.format.DescriptorHash;
import io.vertxscr.format.Fields;
import io.vertxscr.format.FileMetaHash;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;
import io.vertxscr.format.prefix.RankFileMap.Segment;
import io.vertxscr.format.prefix.RankFilemap.StoredRedundancy;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.Scheme;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code <prefix>/.scr/scr.dataset.<id>/<rank>.scrfilemap}: what was scavenged of one rank.
 * <pre>
 *   DSET -> 6 -> RANK -> 2
 *   RANK -> 2 -> DSET -> 6 -> DSETDESC/descriptor
 *                             RANKS -> 4
 *                             FILES -> 2                expected, redundancy files among them
 *                             FILE -> 3_of_4_in_0.xor -> META -> RANKS -> 4
 *                                                                COMPLETE -> 1
 *                                                                SIZE -> 175693
 *                                                                TYPE -> XOR
 *                                                                FILE -> 3_of_4_in_0.xor
 *                                                                CRC -> 0x2ef519a1
 *                                     rank.2/a.ckpt -> META/...          see FileMetaHash
 *
 *   in containers, beside META:  SEG -> 0 -> ...                    see RankFileMapFile
 * </pre>
 */
public final class RankFilemapFile {
  private static final String KIND = "rank filemap";
  private static final String OF_APPLICATION = "FULL";

  private RankFilemapFile() {}

  /** The whole file. */
  public static byte[] encode(RankFilemap map) {
    String id = Integer.toString(map.descriptor().id());
    String rank = Integer.toString(map.files().rank());
    Hash whole = new Hash();
    whole.at("DSET").at(id).set("RANK", rank);
    Hash dataset = whole.at("RANK").at(rank).at("DSET").at(id)
        .put("DSETDESC", DescriptorHash.encode(map.descriptor(), true))
        .set("RANKS", map.worldRanks())
        .set("FILES", map.expectedFiles());
    Hash files = dataset.at("FILE");
    for (StoredRedundancy file : map.redundancy()) {
      files.at(file.name()).put("META", new Hash().set("RANKS", map.worldRanks()).set("COMPLETE", 1)
          .set("SIZE", file.bytes()).set("TYPE", file.scheme()).set("FILE", file.name())
          .set("CRC", Fields.crc(file.crc())));
    }
    for (FileMeta file : map.files().files()) {
      files.at(file.name()).put("META", FileMetaHash.encode(file, map.worldRanks()));
    }
    map.segments().forEach((name, segments) -> RankFileMapFile.putSegments(files.at(name), segments));
    return HashFile.encode(whole);
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static RankFilemap decode(byte[] file) {
    return Fields.read(file, KIND, RankFilemapFile::map);
  }

  private static RankFilemap map(Fields whole) {
    if (whole.numbered("RANK").size() != 1 || whole.numbered("DSET").size() != 1) {
      throw whole.corrupt("RANK", "expected one rank of one dataset");
    }
    int rank = whole.numbered("RANK").firstKey();
    int id = whole.numbered("DSET").firstKey();
    whole.child("DSET").child(Integer.toString(id)).expect("RANK", rank);
    Fields dataset = whole.numbered("RANK").get(rank).child("DSET").child(Integer.toString(id));
    DatasetDescriptor descriptor = DescriptorHash.decode(dataset.child("DSETDESC"));
    dataset.child("DSETDESC").expect("ID", id);
    int ranks = dataset.integer("RANKS", rank + 1);
    List<FileMeta> files = new ArrayList<>();
    List<StoredRedundancy> redundancy = new ArrayList<>();
    Map<String, List<Segment>> packed = new TreeMap<>();
    for (String name : dataset.child("FILE").children().keySet()) {
      List<Segment> segments = RankFileMapFile.segments(dataset.child("FILE").child(name));
      if (!segments.isEmpty()) {
        packed.put(name, segments);
      }
      Fields meta = dataset.child("FILE").child(name).child("META");
      meta.expect("FILE", name);
      if (meta.findText("TYPE").orElse(OF_APPLICATION).equals(OF_APPLICATION)) {
        files.add(FileMetaHash.decode(meta));
      } else {
        redundancy.add(redundancy(name, meta));
      }
    }
    int expected = dataset.integer("FILES", files.size() + redundancy.size());
    return new RankFilemap(descriptor, ranks, expected, new RankFiles(rank, files), redundancy, packed);
  }

  private static StoredRedundancy redundancy(String name, Fields meta) {
    meta.expect("COMPLETE", 1);
    int crc = meta.findCrc("CRC").orElseThrow(() -> meta.corrupt("CRC", "missing"));
    return new StoredRedundancy(
        name, meta.constant("TYPE", Scheme.class, meta.text("TYPE")), meta.number("SIZE", 0), crc);
  }
}
