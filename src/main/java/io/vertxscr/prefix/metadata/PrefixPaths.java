package io.vertxscr.prefix.metadata;

import io.vertxscr.format.prefix.RankFileMap.MapPart;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.ScrException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Paths below a prefix directory. Pure: touches no file.
 *
 * @param prefix absolute and normalised
 */
public record PrefixPaths(Path prefix) {
  private static final String DRAFT = ".scr-draft-";
  private static final String MARKS = ".scr-marks-";
  /** Longest that a hidden file's name has around the base name: a dot, a word, the owner of a draft. */
  private static final int MAX_AFFIX_BYTES = 1 + DRAFT.length() + DraftOwner.MAX_BYTES;
  private static final String KEPT = ".scr-kept-";
  private static final String SCR = ".scr";
  private static final String DATASET = "scr.dataset.";
  private static final Pattern OF_DATASET = Pattern.compile("scr\\.dataset\\.[1-9][0-9]{0,8}");

  public PrefixPaths {
    if (!prefix.isAbsolute()) {
      throw new ScrException(Fault.BAD_REQUEST, "prefix directory '" + prefix + "' is not an absolute path");
    }
    prefix = prefix.normalize();
  }

  /** The path of this name in the file system that the prefix directory is in. */
  Path path(String name) {
    return prefix.getFileSystem().getPath(name);
  }

  /** Directory of everything that is ours. */
  public Path scr() {
    return prefix.resolve(SCR);
  }

  public Path index() {
    return scr().resolve("index.scr");
  }

  public Path indexLock() {
    return scr().resolve("index.lock");
  }

  public Path flushFile() {
    return scr().resolve("flush.scr");
  }

  public Path haltFile() {
    return scr().resolve("halt.scr");
  }

  public Path failuresFile() {
    return scr().resolve("failures.scr");
  }

  public Path log() {
    return scr().resolve("log");
  }

  public Path nodesFile() {
    return scr().resolve("nodes.scr");
  }

  /** Who may change the prefix directory. */
  public Path leaderFile() {
    return scr().resolve("leader.scr");
  }

  /** Held shared while names are given to files, exclusively at a takeover. */
  Path leaderLock() {
    return scr().resolve("leader.lock");
  }

  /** Held while other nodes try it. */
  Path trialLock() {
    return scr().resolve("trial.lock");
  }

  public Path restartFile() {
    return scr().resolve("restart.scr");
  }

  /** Metadata of one dataset. */
  public Path dataset(int id) {
    return scr().resolve(DATASET + id);
  }

  public Path summary(int id) {
    return dataset(id).resolve("summary.scr");
  }

  /** Root of the dataset's rank2file map. */
  public Path rankMap(int id) {
    return dataset(id).resolve("rank2file");
  }

  /**
   * A part of that map.
   *
   * @throws ScrException {@link Fault#CORRUPT} if what the root says is not the name of a file beside it
   */
  Path rankMapPart(int id, MapPart part) {
    Path root = rankMap(id);
    if (part.suffix().indexOf('/') >= 0 || part.suffix().isEmpty()) {
      throw new ScrException(Fault.CORRUPT, root + " names a part '" + part.suffix() + "', which is not beside it");
    }
    return root.resolveSibling(root.getFileName() + part.suffix());
  }

  /** Whether only we use a directory of this name, for metadata of the prefix or of a dataset. */
  static boolean isOurs(Path directory) {
    Path name = directory.getFileName();
    return name != null && (name.toString().equals(SCR) || datasetOf(directory).isPresent());
  }

  /** The dataset whose metadata directory has this name; empty for all other names. */
  public static OptionalInt datasetOf(Path directory) {
    String name = directory.getFileName().toString();
    return OF_DATASET.matcher(name).matches()
        ? OptionalInt.of(Integer.parseInt(name.substring(DATASET.length()))) : OptionalInt.empty();
  }

  /**
   * Final place of a file.
   *
   * @param relative as in a map: below the prefix, without {@code ..}, not ours
   * @throws ScrException {@link Fault#OUTSIDE_PREFIX} for everything else, because a map is untrusted input
   */
  public Path file(String relative) {
    try {
      Path path = prefix.resolve(relative);
      if (relative.isEmpty() || !path.equals(path.normalize()) || path.equals(prefix) || !path.startsWith(prefix)
          || path.startsWith(scr())) {
        throw new ScrException(Fault.OUTSIDE_PREFIX,
            "'" + relative + "' is not the place of an application's file below the prefix directory " + prefix);
      }
      return path;
    } catch (InvalidPathException e) {
      throw new ScrException(Fault.OUTSIDE_PREFIX, "'" + relative + "' is not a path: " + e.getReason(), e);
    }
  }

  /** The same before it has its name: of one token, so that no other leader's nodes write it. */
  Path rankMapDraft(int id, MapPart part, PrefixToken token) {
    Path named = rankMapPart(id, part);
    return named.resolveSibling(named.getFileName() + ".of-" + token.text());
  }

  /** Path of a file's draft, beside its final path. */
  public Path draft(String relative, DraftOwner owner) {
    return hidden(relative, DRAFT + owner.suffix());
  }

  /** Path of the journal of a draft's durable extents, beside the draft. */
  public Path marks(String relative, DraftOwner owner) {
    return hidden(relative, MARKS + owner.suffix());
  }

  /** Path of the journal of a draft. @param draft as of {@link #draft} */
  public static Path marksOf(Path draft) {
    String name = draft.getFileName().toString();
    int at = name.lastIndexOf(DRAFT);
    return draft.resolveSibling(name.substring(0, at) + MARKS + name.substring(at + DRAFT.length()));
  }

  /** Pattern of the names of all drafts and journals of a dataset in one directory, of any owner. */
  public static String draftsOf(DatasetKey dataset) {
    return ".*{" + DRAFT + "," + MARKS + "}" + DraftOwner.dataset(dataset) + ".*";
  }

  /** Path of an older file that is kept until the dataset that replaces it is complete. */
  public Path kept(String relative, int id) {
    return hidden(relative, KEPT + id);
  }

  /** Path of another one, where an earlier attempt has kept one already. @param number from 1 */
  public Path kept(String relative, int id, int number) {
    return hidden(relative, KEPT + id + "." + number);
  }

  /** Pattern of the names of all {@link #kept} files of one directory that this dataset has replaced. */
  public static String keptFor(int id) {
    return ".*" + KEPT + id + "{,.*}";
  }

  /** Name prefix of all {@link #kept} files of a path; a dataset's id follows. */
  public Path keptOfAny(String relative) {
    return hidden(relative, KEPT);
  }

  private Path hidden(String relative, String suffix) {
    Path file = file(relative);
    String base = file.getFileName().toString();
    String name = "." + base + suffix;
    if (base.getBytes(StandardCharsets.UTF_8).length + MAX_AFFIX_BYTES > Names.MAX_COMPONENT_BYTES) {
      // a base name that fills the component by itself: the digest keeps those of different files apart
      name = "." + Names.digest(base) + suffix;
    }
    return file.resolveSibling(name);
  }

  /** Ids of the datasets that have metadata here, listed in the index or not. */
  public List<Integer> datasets() {
    return MetadataFiles.list(scr(), "scr.dataset.*").stream()
        .map(PrefixPaths::datasetOf).filter(OptionalInt::isPresent).map(OptionalInt::getAsInt).toList();
  }
}
