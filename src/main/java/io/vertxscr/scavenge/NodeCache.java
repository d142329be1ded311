package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixDirectories;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import io.vertxscr.storage.Presence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Datasets of one node of this machine, read from its directories, with its daemon dead or alive. Changes nothing.
 *
 * @param node its name
 * @param control its control directory
 * @param datasets by id
 * @param problems filemaps that cannot be understood, in sentences
 */
public record NodeCache(String node, Path control, List<DatasetRecord> datasets, List<String> problems) {
  public NodeCache {
    datasets = datasets.stream().sorted(Comparator.comparingInt(record -> record.descriptor().id())).toList();
    problems = List.copyOf(problems);
  }

  /**
   * All nodes of a job on this machine: their control directories are below that of the job.
   *
   * @throws ScrException IO: none is left out for an error
   */
  public static List<NodeCache> ofJob(Path controlOfJob) {
    return MetadataFiles.list(controlOfJob, "*").stream().filter(Presence::isDirectory).map(NodeCache::read).toList();
  }

  /** @throws ScrException IO */
  public static NodeCache read(Path control) {
    List<DatasetRecord> datasets = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path file : MetadataFiles.list(control, "*.scrfilemap")) {
      try {
        MetadataFiles.read(file, FilemapFile::decode).ifPresent(datasets::add);
      } catch (ScrException e) {
        if (e.fault() != Fault.CORRUPT) {
          throw e;
        }
        problems.add(e.getMessage());
      }
    }
    return new NodeCache(control.getFileName().toString(), control, datasets, problems);
  }

  /** The dataset of this id, if it was written for this prefix directory. */
  public Optional<DatasetRecord> find(int id, PrefixPaths paths) {
    return of(paths).datasets.stream().filter(record -> record.descriptor().id() == id).findFirst();
  }

  /** Returns only the datasets written for this prefix directory. */
  public NodeCache of(PrefixPaths paths) {
    return new NodeCache(node, control, datasets.stream()
        .filter(record -> PrefixDirectories.isSame(record.origin().prefix(), paths)).toList(), problems);
  }

  /** Whether files of a dataset were in its directory, and that is not there any more. */
  private boolean isDeleted(DatasetRecord record) {
    return record.ranks().stream().anyMatch(rank -> !rank.files().files().isEmpty() || rank.redundancy().isPresent())
        && Files.notExists(directory(record, control));
  }

  /** That in a sentence. */
  private String deleted(DatasetDescriptor dataset) {
    return "dataset " + dataset.id() + " on " + node + ": its directory in the cache was deleted, and with it all"
        + " that " + node + " had of it";
  }

  /**
   * What the daemon of this node says, without datasets whose directories somebody has deleted. It goes by its
   * filemaps, and does not miss them before it needs them, or scrubs.
   *
   * @param remarks gets a sentence for each of these
   */
  public Inventory withoutDeleted(Inventory said, List<String> remarks) {
    List<DatasetRecord> deleted = datasets.stream().filter(this::isDeleted).toList();
    Set<DatasetKey> keys = deleted.stream().map(DatasetRecord::key).collect(Collectors.toSet());
    List<Inventory.Dataset> found = new ArrayList<>();
    for (Inventory.Dataset dataset : said.datasets()) {
      boolean isDeleted = keys.contains(dataset.key());
      if (isDeleted) {
        remarks.add(deleted(dataset.descriptor()) + "; its daemon does not know that yet, 'scr scrub --now' has it"
            + " look");
      }
      found.add(isDeleted ? dataset.without() : dataset);
    }
    return new Inventory(said.node(), found, said.prefixes(), said.drained());
  }

  /** Where the node keeps this dataset, in the file system of its control directory. */
  static Path directory(DatasetRecord record, Path beside) {
    return NodeDirectories.dataset(beside.getFileSystem().getPath(record.cache().path()), record.descriptor().id());
  }

  /**
   * Returns the files that really exist, in the form of a daemon's inventory.
   *
   * @param damaged gets a sentence for each file that is missing or has another size
   */
  public Inventory inventory(List<String> damaged) {
    List<Inventory.Dataset> found = new ArrayList<>();
    for (DatasetRecord record : datasets) {
      List<Inventory.Held> held = new ArrayList<>();
      boolean isDeleted = isDeleted(record);
      if (isDeleted) {
        damaged.add(deleted(record.descriptor()));
      }
      for (RankRecord rank : record.ranks()) {
        held.add(isDeleted ? new Inventory.Held(rank.files().rank(), rank.set(), false, false)
            : held(record, rank, damaged));
      }
      found.add(new Inventory.Dataset(
          record.descriptor(), record.origin(), record.cache().base(), record.redundancy(), record.flush(), held));
    }
    return new Inventory(node, found);
  }

  private Inventory.Held held(DatasetRecord record, RankRecord rank, List<String> damaged) {
    Path directory = directory(record, control);
    String who = "dataset " + record.descriptor().id() + ", rank " + rank.files().rank() + " on " + node + ": ";
    Set<String> wrong = new HashSet<>();
    rank.files().files().forEach(file ->
        FileChecks.sizeProblem(directory, file).ifPresent(problem -> wrong.add(who + problem)));
    boolean redundancy = rank.redundancy().isPresent();
    if (redundancy) {
      try {
        RedundancyFiles.readHeader(NodeDirectories.resolve(directory, rank.redundancy().get()));
      } catch (ScrException e) {
        if (e.fault() != Fault.CORRUPT) {
          throw e;
        }
        redundancy = false;
        damaged.add(who + e.getMessage());
      }
    }
    damaged.addAll(wrong);
    return new Inventory.Held(rank.files().rank(), rank.set(), wrong.isEmpty(), redundancy);
  }
}
