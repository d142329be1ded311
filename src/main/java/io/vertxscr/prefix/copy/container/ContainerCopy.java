package io.vertxscr.prefix.copy.container;

import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.prefix.copy.container.PackedRanks.PackedFile;
import io.vertxscr.prefix.copy.extent.Extent;
import io.vertxscr.prefix.copy.extent.FlushTarget;
import io.vertxscr.prefix.copy.extent.Meter;
import io.vertxscr.prefix.copy.extent.Parts;
import io.vertxscr.prefix.copy.extent.ResumableCopy;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.storage.Faults;
import io.vertxscr.storage.LearnedChecksums;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/**
 * Copies a node's files of one dataset into the draft containers of a flush. Other nodes write to the same containers
 * at the same time, each its own stretch, so there are no locks.
 *
 * <p>An extent that is durable leaves a mark beside the containers: an empty file whose name has offset and length of
 * the extent. A later attempt, after a crash too, does not copy it again, unless the checksum of one of its files is
 * not known. The directory's name stands for one layout ({@link ContainerDrafts}), so a mark never speaks of other
 * bytes.
 */
public final class ContainerCopy implements FlushTarget {
  private final String dataset;
  private final Path drafts;
  private final Path cacheDirectory;
  private final PackedRanks packed;
  private final LearnedChecksums learned = new LearnedChecksums();

  /**
   * @param drafts directory of the draft containers, created by the leader, never by nodes: a late node must find
   * nothing
   * @param cacheDirectory the dataset's directory in this node's cache
   */
  public ContainerCopy(int dataset, Path drafts, Path cacheDirectory, PackedRanks packed) {
    this.dataset = "dataset " + dataset;
    this.drafts = drafts;
    this.cacheDirectory = cacheDirectory;
    this.packed = packed;
  }

  /** Extents of all packed ranks, for any argument; each has files of {@link Extent#MOST_BYTES}, or one. */
  @Override
  public List<Extent> extents(List<RankFiles> ranks) {
    return Parts.of(packed.files(), file -> file.file().bytes(), Extent.MOST_BYTES).stream().map(this::extent).toList();
  }

  private Extent extent(List<PackedFile> files) {
    long bytes = files.stream().mapToLong(file -> file.file().bytes()).sum();
    long offset = files.getFirst().offset();
    Path mark = drafts.resolve("extent." + offset + "-" + bytes);
    return new Extent("flush " + files.size() + " files of " + dataset, bytes,
        meter -> new Packing(files, mark, meter));
  }

  @Override
  public LearnedChecksums learned() {
    return learned;
  }

  /** The leader does it, for all nodes: {@link ContainerDrafts#publish}. */
  @Override
  public boolean publish(Collection<FileMeta> files) {
    return false;
  }

  /** Keeps the copied bytes for the next attempt, which needs no other space. */
  @Override
  public void discard(Collection<FileMeta> files) {}

  /** Nothing was in the way. */
  @Override
  public void removeKept(Collection<FileMeta> files) {}

  /** The copy of one extent. */
  private final class Packing implements ResumableCopy {
    private final List<PackedFile> files;
    private final Path mark;
    private final Meter meter;
    private ContainerWriter out;
    private ContainerWriter.Appending current;
    private int next;

    Packing(List<PackedFile> files, Path mark, Meter meter) {
      this.files = files;
      this.mark = mark;
      this.meter = meter;
    }

    @Override
    public boolean resume() {
      if (out == null) {
        if (Files.exists(mark) && files.stream().allMatch(file -> file.file().unread().isEmpty())) {
          return true;
        }
        out = new ContainerWriter(drafts, packed.layout(), files.getFirst().offset(), meter);
      }
      while (current != null || next < files.size()) {
        if (current == null) {
          current = begin(files.get(next++));
        }
        if (!current.resume()) {
          return false;
        }
        learned.add(files.get(next - 1).file(), current.crc());
        current = null;
      }
      out.force();
      out.close();
      PrefixDirectories.force(List.of(drafts));           // the names of new containers: before the mark
      setMark();
      return true;
    }

    private ContainerWriter.Appending begin(PackedFile file) {
      return out.begin(NodeDirectories.resolve(cacheDirectory, file.file().name()), file.file(),
          dataset + ": cached copy of " + file.file().path());
    }

    private void setMark() {
      try {
        Files.createFile(mark);
      } catch (FileAlreadyExistsException _) {
        // a late copy of an earlier attempt has written the same bytes to the same place
      } catch (IOException e) {
        throw Faults.io(mark, e);
      }
    }

    @Override
    public void close() {
      if (current != null) {
        current.close();
      }
      if (out != null) {
        out.abandon();
      }
    }
  }
}
