package io.vertxscr.scavenge;

import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.format.FilemapFile;
import io.vertxscr.model.DatasetRecord.RankRecord;
import io.vertxscr.model.DatasetRecord;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.prefix.metadata.MetadataFiles;
import io.vertxscr.prefix.metadata.PrefixPaths;
import io.vertxscr.redundancy.range.RedundancyFiles;
import io.vertxscr.storage.FileChecks;
import io.vertxscr.storage.NodeDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

  /** All nodes of a job on this machine: their control directories are below that of the job. */
  public static List<NodeCache> ofJob(Path controlOfJob) {
    return MetadataFiles.list(controlOfJob, "*").stream().filter(Files::isDirectory).map(NodeCache::read).toList();
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
    return new NodeCache(node, control,
        datasets.stream().filter(record -> OtherPrefixes.isOf(record, paths)).toList(), problems);
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
      for (RankRecord rank : record.ranks()) {
        held.add(held(record, rank, damaged));
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
