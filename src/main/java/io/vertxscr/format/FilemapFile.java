package io.vertxscr.format;

import io.vertxscr.model.CacheDirectory;
import io.vertxscr.model.Compression;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetRecord.FlushState;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.FlushDescriptor;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankSeals;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.Seal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * {@code scr.dataset.<id>.scrfilemap} in the control directory: what one node holds of one dataset.
 * <pre>
 *   DSET -> 6                                   the only one
 *             RANK -> 2, 3                      whose files are here
 *             DSETDESC/descriptor
 *             BASE, DIRECTORY           see REDDESC
 *             PREFIX -> /p/lustre/user1/sim     of the run that wrote it
 *             RANKS -> 4                        of that run
 *             REDDESC/...               see RedundancyHash
 *             FLUSH -> WANTED                   or NOT_WANTED, DONE
 *             FLUSHDESC -> CONTAINER_SIZE -> 107374182400     missing where files are flushed each to its own place
 *                          CONTAINER_ALIGN -> 1
 *                          COMPRESS -> ZSTD         instead of these, where each is compressed
 *                          LEVEL -> 3
 *   RANK -> 2 -> DSET -> 6
 *             DSETDESC/descriptor               the same again, where tools of the SCR family look for it
 *             BOOT -> 3f1c.../39831             boot and mount that the seals are of; missing without any
 *             FILES -> 1
 *             FILE -> rank.2/a.ckpt -> INDEX -> 0     place in the logical file: the order of keys means nothing
 *                                      META/...       see FileMetaHash
 *                                      SEAL -> 26 4711 524296 1312850690 668536000 1312850690 668536000
 *                                                     see SealText; missing for a file that is to be read
 *             REDDESC -> ...                    see RedundancyHash
 *                        BASE -> /ssd           the store
 *                        DIRECTORY -> /ssd/user1/scr.439/n1     where the dataset's directory is
 *                        GROUP_ID -> 0          smallest rank of the set
 *                        GROUP_SIZE -> 4
 *                        GROUP_RANK -> 2        place of this rank in it
 *                        GROUP/...              see GroupHash: the whole set, so that it can be built again
 *                        FILE -> .scr/g1/3_of_4_in_0.xor      missing while its protection is pending
 *                        CRC -> 0x1b3f8a90      of its parity; missing for copies, and while unknown
 *                        SEAL -> 26 4712 ...    of that file
 * </pre>
 */
public final class FilemapFile {
  private static final String KIND = "filemap";
  private static final String ZSTD = "ZSTD";

  private FilemapFile() {}

  /** The whole file. */
  public static byte[] encode(DatasetRecord dataset) {
    return pack(dataset).file();
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static DatasetRecord decode(byte[] file) {
    return Fields.read(file, KIND, FilemapFile::dataset);
  }

  private static Packer pack(DatasetRecord dataset) {
    String id = Integer.toString(dataset.descriptor().id());
    Hash head = new Hash();
    Hash held = head.at("RANK");
    dataset.ranks().forEach(rank -> held.put(Integer.toString(rank.files().rank()), new Hash()));
    head.put("DSETDESC", DescriptorHash.encode(dataset.descriptor(), true))
        .set("PREFIX", dataset.origin().prefix())
        .set("BASE", dataset.cache().base())
        .set("DIRECTORY", dataset.cache().path())
        .set("RANKS", dataset.origin().ranks())
        .put("REDDESC", RedundancyHash.encode(dataset.redundancy()))
        .set("FLUSH", dataset.flush());
    flushDescriptor(dataset.origin().flush()).ifPresent(descriptor -> head.put("FLUSHDESC", descriptor));
    Packer to = new Packer().open("DSET").put(id, head).close().open("RANK");
    for (RankRecord rank : dataset.ranks()) {
      to.open(Integer.toString(rank.files().rank())).open("DSET").open(id);
      pack(dataset, rank, to);
      to.close().close().close();
    }
    return to.close();
  }

  private static void pack(DatasetRecord dataset, RankRecord rank, Packer to) {
    List<FileMeta> files = rank.files().files();
    RankSeals seals = rank.seals();
    to.put("DSETDESC", DescriptorHash.encode(dataset.descriptor(), true));
    if (!seals.mount().isEmpty()) {
      to.set("BOOT", seals.mount());
    }
    to.set("FILES", files.size()).open("FILE");
    Set<String> names = HashSet.newHashSet(files.size());
    for (int i = 0; i < files.size(); i++) {
      if (!names.add(files.get(i).name())) {
        throw new IllegalArgumentException("rank " + rank.files().rank() + " has two files " + files.get(i).name());
      }
      to.open(files.get(i).name()).set("INDEX", i).open("META");
      FileMetaHash.pack(files.get(i), dataset.origin().ranks(), to);
      to.close();
      seals.file(i).ifPresent(seal -> to.set("SEAL", SealText.of(seal)));
      to.close();
    }
    to.close();
    flushDescriptor(dataset.origin().flush()).ifPresent(descriptor -> to.put("FLUSHDESC", descriptor));
    Hash redundancy = RedundancyHash.encode(dataset.redundancy())
        .set("BASE", dataset.cache().base())
        .set("DIRECTORY", dataset.cache().path())
        .set("GROUP_ID", rank.set().id())
        .set("GROUP_SIZE", rank.set().size())
        .set("GROUP_RANK", rank.set().memberOf(rank.files().rank()))
        .put("GROUP", GroupHash.encode(rank.set()));
    rank.redundancy().ifPresent(file -> redundancy.set("FILE", file));
    rank.redundancyCrc().ifPresent(crc -> redundancy.set("CRC", Fields.crc(crc)));
    seals.redundancy().ifPresent(seal -> redundancy.set("SEAL", SealText.of(seal)));
    to.put("REDDESC", redundancy);
  }

  private static Optional<Hash> flushDescriptor(FlushDescriptor descriptor) {
    return descriptor.containers().map(containers -> new Hash()
        .set("CONTAINER_SIZE", containers.bytes()).set("CONTAINER_ALIGN", containers.alignBytes()))
        .or(() -> descriptor.compression().map(how -> new Hash().set("COMPRESS", ZSTD).set("LEVEL", how.level())));
  }

  private static FlushDescriptor flushDescriptor(Fields fields) {
    return fields.find("FLUSHDESC").map(found -> {
      if (found.findText("COMPRESS").isPresent()) {
        found.expect("COMPRESS", ZSTD);
        return FlushDescriptor.FILES.with(Optional.of(new Compression(found.integer("LEVEL", Compression.MIN_LEVEL))));
      }
      return FlushDescriptor.packed(
          found.number("CONTAINER_SIZE", FlushDescriptor.MIN_CONTAINER_BYTES), found.number("CONTAINER_ALIGN", 1));
    }).orElse(FlushDescriptor.FILES);
  }

  private static DatasetRecord dataset(Fields whole) {
    SortedMap<Integer, Fields> datasets = whole.numbered("DSET");
    if (datasets.size() != 1) {
      throw whole.corrupt("DSET", "expected one dataset, found " + datasets.size());
    }
    Fields head = datasets.values().iterator().next();
    DatasetDescriptor descriptor = DescriptorHash.decode(head.child("DSETDESC"));
    head.child("DSETDESC").expect("ID", datasets.firstKey());
    RedundancyDescriptor redundancy = RedundancyHash.decode(head.child("REDDESC"));
    FlushState flush = head.constant("FLUSH", FlushState.class, head.text("FLUSH"));
    CacheDirectory cache = new CacheDirectory(head.text("BASE"), head.text("DIRECTORY"));
    Origin origin = new Origin(head.text("PREFIX"), head.integer("RANKS", 1), flushDescriptor(head));
    SortedMap<Integer, Fields> held = whole.numbered("RANK");
    if (!head.numbered("RANK").keySet().equals(held.keySet())) {
      throw head.corrupt("RANK", "says " + head.numbered("RANK").keySet() + ", there are " + held.keySet());
    }
    DatasetRecord none = new DatasetRecord(descriptor, origin, cache, redundancy, flush, List.of());
    List<RankRecord> ranks = new ArrayList<>();
    for (Map.Entry<Integer, Fields> rank : held.entrySet()) {
      ranks.add(rank(none, rank.getKey(), rank.getValue().child("DSET").child(Integer.toString(descriptor.id()))));
    }
    return none.with(ranks);
  }

  private static RankRecord rank(DatasetRecord dataset, int rank, Fields fields) {
    if (rank >= dataset.origin().ranks()) {
      throw fields.corrupt("DSETDESC", "rank " + rank + " is not in a run of " + dataset.origin().ranks());
    }
    if (!DescriptorHash.decode(fields.child("DSETDESC")).equals(dataset.descriptor())) {
      throw fields.corrupt("DSETDESC", "is not the descriptor that stands below DSET");
    }
    if (!flushDescriptor(fields).equals(dataset.origin().flush())) {
      throw fields.corrupt("FLUSHDESC", "is not the descriptor that stands below DSET");
    }
    Fields redundancy = fields.child("REDDESC");
    redundancy.expect("BASE", dataset.cache().base());
    redundancy.expect("DIRECTORY", dataset.cache().path());
    if (!RedundancyHash.decode(redundancy).equals(dataset.redundancy())) {
      throw fields.corrupt("REDDESC", "is not the descriptor that stands below DSET");
    }
    RedundancySet set = GroupHash.decode(redundancy.child("GROUP"));
    redundancy.expect("GROUP_ID", set.id());
    redundancy.expect("GROUP_SIZE", set.size());
    redundancy.expect("GROUP_RANK", set.memberOf(rank));
    Optional<String> file = redundancy.findText("FILE");
    SortedMap<Integer, Optional<Seal>> seals = new TreeMap<>();
    RankFiles files = new RankFiles(rank, files(fields, seals));
    return new RankRecord(files, set, file, redundancy.findCrc("CRC"), new RankSeals(
        fields.findText("BOOT").orElse(""), List.copyOf(seals.values()), SealText.find(redundancy)));
  }

  private static List<FileMeta> files(Fields rank, SortedMap<Integer, Optional<Seal>> seals) {
    SortedMap<Integer, FileMeta> byIndex = new TreeMap<>();
    Fields files = rank.child("FILE");
    int count = files.children().size();
    rank.expect("FILES", count);
    for (String name : files.children().keySet()) {
      Fields file = files.child(name);
      file.child("META").expect("FILE", name);
      int index = file.integer("INDEX", 0);
      if (index >= count || byIndex.put(index, FileMetaHash.decode(file.child("META"))) != null) {
        throw file.corrupt("INDEX", index + " is taken, or not below " + count);
      }
      seals.put(index, SealText.find(file));
    }
    return List.copyOf(byIndex.values());
  }
}
