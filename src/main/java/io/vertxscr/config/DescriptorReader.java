package io.vertxscr.config;

import static io.vertxscr.config.Parameter.SCR_CACHE_BASE;
import static io.vertxscr.config.Parameter.SCR_CACHE_BYPASS;
import static io.vertxscr.config.Parameter.SCR_CACHE_SIZE;
import static io.vertxscr.config.Parameter.SCR_COPY_TYPE;
import static io.vertxscr.config.Parameter.SCR_GROUP;
import static io.vertxscr.config.Parameter.SCR_SET_FAILURES;
import static io.vertxscr.config.Parameter.SCR_SET_SIZE;
import static io.vertxscr.config.Parameter.SCR_USE_CONTAINERS;

import io.vertxscr.config.Effective.DescriptorEntry;
import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Compression;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.ScrException;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.model.StoreSync;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Creates descriptors. With SCR_COPY_TYPE=FILE they are the CKPT entries, else the one implied by SCR_GROUP,
 * SCR_CACHE_BASE, SCR_COPY_TYPE, SCR_SET_SIZE and SCR_SET_FAILURES.
 */
final class DescriptorReader {
  /** The value of SCR_COPY_TYPE that leaves it to the CKPT entries. */
  static final String FILE = "FILE";

  private final Effective values;
  private final GroupDescriptors groups;

  DescriptorReader(Effective values) {
    this.values = values;
    this.groups = groups();
  }

  Descriptors descriptors() {
    List<CheckpointDescriptor> checkpoints = new ArrayList<>();
    OptionalInt output = OptionalInt.empty();
    SortedMap<Integer, Compression> compressions = new TreeMap<>();
    if (fromEntries()) {
      for (DescriptorEntry entry : values.of(Section.CKPT)) {
        CheckpointDescriptor checkpoint = checkpoint(entry);
        checkpoints.add(checkpoint);
        compression(entry, checkpoint).ifPresent(how -> compressions.put(checkpoint.index(), how));
        if (entry.flag("OUTPUT", false)) {
          if (output.isPresent()) {
            throw Checks.bad(entry.where() + ": OUTPUT=1 is said of CKPT=" + output.getAsInt() + " already");
          }
          output = OptionalInt.of(Integer.parseInt(entry.key()));
        }
      }
    } else {
      checkpoints.add(implied());
    }
    List<StoreDescriptor> stores = stores();
    try {
      return new Descriptors(checkpoints, output, stores, groups, compressions);
    } catch (ScrException e) {
      throw Checks.bad((fromEntries() ? values.of(Section.CKPT).getFirst().where()
          : values.said(SCR_CACHE_BASE)) + ": " + e.getMessage());
    }
  }

  private boolean fromEntries() {
    Effective.Value type = values.value(SCR_COPY_TYPE).orElseThrow();
    boolean file = type.text().equalsIgnoreCase(FILE);
    if (file && values.of(Section.CKPT).isEmpty()) {
      throw Checks.bad(type.source() + ": SCR_COPY_TYPE=FILE, but there is no CKPT=0 entry");
    }
    return file;
  }

  private CheckpointDescriptor implied() {
    String base = values.path(SCR_CACHE_BASE).toString();
    String source = values.value(SCR_GROUP).map(Effective.Value::source).orElse("");
    Scheme scheme = scheme(values.text(SCR_COPY_TYPE));
    Redundancy redundancy;
    try {
      redundancy = redundancy(scheme, values.number(SCR_SET_SIZE), Optional.empty());
    } catch (ScrException e) {
      throw Checks.bad(String.join(", ", values.said(SCR_COPY_TYPE), values.said(SCR_SET_SIZE),
          values.said(SCR_SET_FAILURES)) + ": " + e.getMessage());
    }
    return new CheckpointDescriptor(0, true, 1, known(values.text(SCR_GROUP), source + ": SCR_GROUP"), base,
        redundancy, values.flag(SCR_CACHE_BYPASS) || keepsNone(base));
  }

  /** Whether the store with this base is to keep no checkpoint: then they go past the cache. */
  private boolean keepsNone(String base) {
    return values.of(Section.STORE).stream().anyMatch(store -> store.key().equals(base) && count(store) == 0);
  }

  private int count(DescriptorEntry store) {
    return store.number("COUNT", values.number(SCR_CACHE_SIZE));
  }

  private CheckpointDescriptor checkpoint(DescriptorEntry entry) {
    String base = entry.text("STORE").map(path -> Path.of(path).normalize())
        .orElseGet(() -> values.path(SCR_CACHE_BASE)).toString();
    Scheme scheme = entry.text("TYPE").map(DescriptorReader::scheme).orElse(Scheme.XOR);
    try {
      return new CheckpointDescriptor(Integer.parseInt(entry.key()), entry.flag("ENABLED", true),
          entry.number("INTERVAL", 1), known(entry.text("GROUP").orElse(values.text(SCR_GROUP)), entry.where()), base,
          redundancy(scheme, entry.number("SET_SIZE", values.number(SCR_SET_SIZE)),
              entry.text("SET_FAILURES").map(Integer::parseInt)),
          entry.flag("BYPASS", values.flag(SCR_CACHE_BYPASS)) || keepsNone(base));
    } catch (ScrException e) {
      throw e.getMessage().startsWith(entry.where()) ? e : Checks.bad(entry.where() + ": " + e.getMessage());
    }
  }

  private Optional<Compression> compression(DescriptorEntry entry, CheckpointDescriptor checkpoint) {
    Optional<String> level = entry.text("COMPRESS_LEVEL");
    if (entry.text("COMPRESS").filter(how -> how.equalsIgnoreCase("ZSTD")).isEmpty()) {
      if (level.isPresent()) {
        throw Checks.bad(entry.where() + ": COMPRESS_LEVEL=" + level.get() + " without COMPRESS=ZSTD");
      }
      return Optional.empty();
    }
    if (checkpoint.bypass()) {
      throw Checks.bad(entry.where() + ": COMPRESS=ZSTD with BYPASS=1: files are compressed when they are flushed, and "
          + "these are written to the prefix directory by the application itself");
    }
    if (values.flag(SCR_USE_CONTAINERS)) {
      throw Checks.bad(entry.where() + ": COMPRESS=ZSTD with SCR_USE_CONTAINERS=1: where a file begins in a container "
          + "must be known before any node copies, so files there are not compressed; leave out one of them");
    }
    return Optional.of(level.map(text -> new Compression(Integer.parseInt(text))).orElse(Compression.STANDARD));
  }

  private static Scheme scheme(String text) {
    return Scheme.valueOf(text.toUpperCase(Locale.ROOT));
  }

  /**
   * Returns the scheme with the failures of its entry, else of SCR_SET_FAILURES. That applies to RS, and to PARTNER if
   * it is set explicitly. What was not asked for by name is no more than the sets can tolerate.
   */
  private Redundancy redundancy(Scheme scheme, int setSize, Optional<Integer> failures) {
    boolean several = scheme == Scheme.RS || (scheme == Scheme.PARTNER && values.isSet(SCR_SET_FAILURES));
    int standard = several ? values.number(SCR_SET_FAILURES) : scheme.tolerance();
    return new Redundancy(scheme, setSize,
        failures.orElse(several && !values.isSet(SCR_SET_FAILURES) ? Math.min(standard, setSize - 1) : standard));
  }

  /** The name of a group with members. */
  private String known(String group, String where) {
    SortedSet<String> names = new TreeSet<>(List.of(GroupDescriptors.NODE, GroupDescriptors.WORLD));
    groups.nodes().values().forEach(ofNode -> names.addAll(ofNode.keySet()));
    if (!names.contains(group)) {
      throw Checks.bad(where + ": there is no group " + group + Nearest.hint(group, names) + "; there are "
          + String.join(", ", names) + ", and a line GROUPS=<node> " + group + "=<value> for each node makes it");
    }
    return group;
  }

  private List<StoreDescriptor> stores() {
    return values.of(Section.STORE).stream().filter(entry -> entry.flag("ENABLED", true))
        .map(entry -> new StoreDescriptor(entry.key(), known(entry.text("GROUP").orElse(GroupDescriptors.NODE),
            entry.where()), Math.max(1, count(entry)), entry.bytes("SIZE"),
            entry.flag("MKDIR", true),
            entry.text("SYNC").map(said -> StoreSync.valueOf(said.toUpperCase(Locale.ROOT))).orElse(StoreSync.AUTO)))
        .toList();
  }

  private GroupDescriptors groups() {
    SortedMap<String, SortedMap<String, String>> nodes = new TreeMap<>();
    for (DescriptorEntry entry : values.of(Section.GROUPS)) {
      SortedMap<String, String> ofNode = new TreeMap<>();
      entry.fields().forEach((group, said) -> {
        if (group.equals(GroupDescriptors.NODE) || group.equals(GroupDescriptors.WORLD)) {
          throw Checks.bad(said.where() + ": group " + group + " is built in");
        }
        ofNode.put(group, said.text());
      });
      nodes.put(entry.key(), ofNode);
    }
    return new GroupDescriptors(nodes);
  }
}
