package io.vertxscr.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Names of one rank's files in the cache: {@code rank.<r>/<base name>}, or {@code rank.<r>/<k>/<base name>}. The
 * latter, with the smallest free k = 1, 2, ..., if the rank has that base name already.
 *
 * <p>Two files of one rank never get the same name, and no file gets a name that is the directory of another, also when
 * the base names are numbers themselves. The same paths in the same order always give the same names. For one thread.
 */
public final class CacheNames {
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,7}");
  private static final Pattern DIRECTORY = Pattern.compile("rank\\.[0-9]{1,10}");

  private final String directory;
  /** Base names of the files directly in the rank's directory. */
  private final Set<String> direct = new HashSet<>();
  /** Base names per numbered subdirectory; entry i is subdirectory i + 1. */
  private final List<Set<String>> numbered = new ArrayList<>();
  /** First candidate k of a base name: all smaller ones are in use. */
  private final Map<String, Integer> firstFree = new HashMap<>();

  public CacheNames(int rank) {
    directory = directory(rank) + "/";
  }

  /** Directory of this rank's files, relative to the dataset's directory. */
  public static String directory(int rank) {
    return "rank." + rank;
  }

  /** Whether an entry of a dataset's directory is named as {@link #directory}. */
  public static boolean isDirectory(String name) {
    return DIRECTORY.matcher(name).matches();
  }

  /** The names of these paths, in their order. */
  public static List<String> of(int rank, List<String> paths) {
    CacheNames names = new CacheNames(rank);
    return paths.stream().map(names::next).toList();
  }

  /**
   * The name of the rank's next file.
   *
   * @param path where it belongs, relative to the prefix; only its last component counts
   * @return relative to the dataset's directory
   */
  public String next(String path) {
    String base = path.substring(path.lastIndexOf('/') + 1);
    if (!isSubdirectory(base) && direct.add(base)) {
      return directory + base;
    }
    int k = firstFree.getOrDefault(base, 1);
    while (direct.contains(Integer.toString(k)) || !subdirectory(k).add(base)) {
      k++;
    }
    firstFree.put(base, k + 1);
    return directory + k + "/" + base;
  }

  private Set<String> subdirectory(int k) {
    while (numbered.size() < k) {
      numbered.add(new HashSet<>());
    }
    return numbered.get(k - 1);
  }

  private boolean isSubdirectory(String base) {
    if (!NUMBER.matcher(base).matches()) {
      return false;
    }
    int k = Integer.parseInt(base);
    return k <= numbered.size() && !numbered.get(k - 1).isEmpty();
  }
}
