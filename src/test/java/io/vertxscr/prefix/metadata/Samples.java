package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RankFileMap;
import io.vertxscr.model.DatasetDescriptor.Totals;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta.Stamp;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.placement.CacheNames;
import io.vertxscr.prefix.copy.FetchCopy;
import io.vertxscr.prefix.copy.FlushCopy;
import io.vertxscr.prefix.copy.OwnDrafts;
import io.vertxscr.prefix.publish.Publication;
import io.vertxscr.scavenge.PatientLocks;
import io.vertxscr.storage.FileStamps;
import io.vertxscr.storage.UnreadFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A prefix directory, a cache and datasets in it, for the tests of this package. */
public final class Samples {
  public static final LocalDateTime TIME = LocalDateTime.of(2026, 11, 20, 11, 58, 50);
  /** Stands still: the lock's file says since when it is held, and trees are compared byte by byte. */
  private static final Clock CLOCK = Clock.fixed(TIME.toInstant(ZoneOffset.UTC), ZoneOffset.UTC);

  public final Path prefix;
  final Path cache;
  public final PrefixPaths paths;
  public final PrefixIndex index;
  public final Publication publication;

  public Samples(Path directory) {
    prefix = directory.resolve("prefix");
    cache = directory.resolve("cache");
    paths = new PrefixPaths(prefix);
    LockUser patient = PatientLocks.user("n0", Duration.ofSeconds(20));
    index = new PrefixIndex(paths, new LockUser("n0", patient.files(), CLOCK, patient.waiting()));
    publication = new Publication(paths, index);
    try {
      Files.createDirectories(prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static DatasetDescriptor descriptor(int id, String name) {
    return new DatasetDescriptor(
        id, name, DatasetFlags.CHECKPOINT, id, 1000L * id, new Job("u", "j", "1", "c"), Totals.NONE);
  }

  public static DatasetDescriptor withTotals(DatasetDescriptor descriptor, List<RankFiles> ranks) {
    long files = ranks.stream().mapToLong(rank -> rank.files().size()).sum();
    return descriptor.with(new Totals(files, ranks.stream().mapToLong(RankFiles::bytes).sum()));
  }

  /** Node n1, that writes drafts of the dataset of {@link #descriptor} with this id. */
  public static DraftOwner owner(int dataset) {
    return owner(dataset, "n1");
  }

  public static DraftOwner owner(int dataset, String node) {
    return new DraftOwner(new DatasetKey(dataset, 1000L * dataset), node);
  }

  public Path cacheOf(int dataset) {
    return cache.resolve("scr.dataset." + dataset);
  }

  /** Writes a rank's files into the cache; content depends on dataset, rank and path. */
  public RankFiles cached(int dataset, int rank, String... filePaths) {
    List<FileMeta> files = new ArrayList<>();
    CacheNames names = new CacheNames(rank);
    for (String path : filePaths) {
      byte[] bytes = bytes(dataset, rank, path);
      String name = names.next(path);
      write(cacheOf(dataset).resolve(name), bytes);
      files.add(new FileMeta(
          name, path, bytes.length, OptionalInt.of(crc(bytes)), Optional.of(stamp(cacheOf(dataset).resolve(name)))));
    }
    return new RankFiles(rank, files);
  }

  /** Writes a rank's files into the cache; nobody has read them. */
  public RankFiles unread(int dataset, int rank, String... filePaths) {
    List<FileMeta> files =
        cached(dataset, rank, filePaths).files().stream().map(FileMeta::withoutCrc).toList();
    return UnreadFiles.note(cacheOf(dataset), new RankFiles(rank, files)).orElseThrow();
  }

  public static Stamp stamp(Path file) {
    try {
      return FileStamps.read(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] bytes(int dataset, int rank, String path) {
    byte[] bytes = new byte[path.contains("empty") ? 0 : 40 + rank];
    new Random(31L * dataset + 7L * rank + path.hashCode()).nextBytes(bytes);
    return bytes;
  }

  /** The steps of a flush, in the order of docs/flows/flush.md; each may be run again. */
  public List<Runnable> flushSteps(DatasetDescriptor bare, List<RankFiles> ranks) {
    DatasetDescriptor descriptor = withTotals(bare, ranks);
    int id = descriptor.id();
    FlushCopy copy = new FlushCopy(paths, Samples.owner(id), cacheOf(id), new OwnDrafts());
    RankMapWriter map = new RankMapWriter(paths, id, ranks.size(), 1);
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> publication.prepare(descriptor));
    ranks.forEach(rank -> rank.files().forEach(file -> steps.add(() -> copy.copy(file))));
    ranks.forEach(rank -> steps.add(() -> copy.publish(rank.files())));
    ranks.forEach(rank -> steps.add(() -> map.writePart(rank.rank(), List.of(rank))));
    steps.add(map::writeRoot);
    steps.add(() -> publication.seal(descriptor));
    steps.add(() -> publication.enlist(descriptor, TIME));
    steps.add(() -> publication.removeReplaced(descriptor));
    steps.add(() -> ranks.forEach(rank -> copy.removeKept(rank.files())));
    return steps;
  }

  public void flush(DatasetDescriptor descriptor, List<RankFiles> ranks) {
    flushSteps(descriptor, ranks).forEach(Runnable::run);
  }

  public static int crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  public static void write(Path path, byte[] bytes) {
    try {
      Files.createDirectories(path.getParent());
      Files.write(path, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] read(Path path) {
    try {
      return Files.readAllBytes(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every file below a directory with its content as hexadecimal, by relative path. */
  public static TreeMap<String, String> tree(Path directory) {
    TreeMap<String, String> tree = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      all.filter(Files::isRegularFile).forEach(path ->
          tree.put(directory.relativize(path).toString(), HexFormat.of().formatHex(read(path))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tree;
  }

  /** Runs the work for every single flipped bit of a file, and puts the file back. Writes in place: that is quick. */
  public static void forEveryBitFlip(Path file, Runnable work) {
    byte[] good = read(file);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int bit = 0; bit < good.length * 8; bit++) {
        int at = bit / 8;
        channel.write(ByteBuffer.wrap(new byte[] {(byte) (good[at] ^ 1 << bit % 8)}), at);
        work.run();
        channel.write(ByteBuffer.wrap(good, at, 1), at);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the work for every shorter length of a file, and puts the file back. */
  static void forEveryTruncation(Path file, Runnable work) {
    byte[] good = read(file);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int length = good.length - 1; length >= 0; length--) {
        channel.truncate(length);
        work.run();
      }
      channel.write(ByteBuffer.wrap(good), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The refusal must have this fault, and name all of these. */
  public static void refused(Fault fault, ThrowingCallable call, String... named) {
    Assertions.assertThatThrownBy(call).isInstanceOfSatisfying(ScrException.class, e -> {
      Assertions.assertThat(e.fault()).as(e.getMessage()).isEqualTo(fault);
      List.of(named).forEach(word -> Assertions.assertThat(e.getMessage()).contains(word));
    });
  }

  /** All of a rank, part by part. */
  public static RankFiles fetched(FetchCopy fetch, RankFileMap.RankEntry entry) {
    return fetch.join(fetch.parts(entry).stream().map(FetchCopy.FetchedPart::copy).toList()).getFirst();
  }
}
