package io.vertxscr.config;

import io.vertxscr.model.Compression;
import io.vertxscr.model.Redundancy;
import io.vertxscr.model.Scheme;
import io.vertxscr.model.StoreSync;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Entries of a key and fields, such as {@code CKPT=0 INTERVAL=1 TYPE=XOR}. A section has its name, which comes first,
 * the kind of its key, and the fields that may follow.
 */
enum Section {
  /** The groups of a node; their names are free. */
  GROUPS(new Kind.Text()),
  /** A class of storage, by its base directory. */
  STORE(new Kind.Directory(),
      field("GROUP", new Kind.Text(), "nodes that share one such store; NODE: each has its own"),
      field("COUNT", new Kind.Int(0, 1024), "checkpoints kept there; 0: none, they go past the cache"),
      field("SIZE", new Kind.Bytes(1, Long.MAX_VALUE), "what datasets may take there; if not said all that is free"),
      field("MKDIR", new Kind.Flag(), "0: its directory must be there, and is not made"),
      field("SYNC", new Kind.Word(Arrays.stream(StoreSync.values()).map(StoreSync::name).toList()),
          "files are synced: never, before older ones are evicted, before complete returns"),
      field("ENABLED", new Kind.Flag(), "0: as if the entry were not there")) {
    @Override
    Optional<String> withoutEffect(String key) {
      return switch (key) {
        case "FLUSH", "TYPE" -> Optional.of(WithoutEffect.SCR_FLUSH_TYPE.reason());
        case "VIEW" -> Optional.of("GROUP says which nodes share the store");
        default -> Optional.empty();
      };
    }
  },
  /** Caching and protection of some checkpoints. */
  CKPT(new Kind.Int(0, 255),
      field("INTERVAL", new Kind.Int(1, Integer.MAX_VALUE), "for checkpoints whose number it divides"),
      field("GROUP", new Kind.Text(), "what fails as a whole: no two ranks of a set are in one; else SCR_GROUP"),
      field("STORE", new Kind.Directory(), "base directory of the store; else SCR_CACHE_BASE"),
      field("TYPE", new Kind.Word(Arrays.stream(Scheme.values()).map(Scheme::name).toList()), "how it is protected"),
      field("SET_SIZE", new Kind.Int(2, Redundancy.MAX_SET_SIZE), "ranks of a set; else SCR_SET_SIZE"),
      field("SET_FAILURES", Parameter.SCR_SET_FAILURES.kind(), "losses in a set that RS survives"),
      field("BYPASS", new Kind.Flag(), "1: files are written to the prefix directory at once, past the cache"),
      field("COMPRESS", new Kind.Word(List.of("NONE", "ZSTD")), "files are compressed when they are flushed"),
      field("COMPRESS_LEVEL", new Kind.Int(Compression.MIN_LEVEL, Compression.MAX_LEVEL), "fast to small; else 3"),
      field("OUTPUT", new Kind.Flag(), "1: for datasets with the OUTPUT flag"),
      field("ENABLED", new Kind.Flag(), "0: as if the entry were not there")) {
    @Override
    Optional<String> withoutEffect(String key) {
      return key.equals("HOP_DISTANCE") ? Optional.of(WithoutEffect.SCR_HOP_DISTANCE.reason()) : Optional.empty();
    }
  };

  /** Field after the key. */
  record Field(String name, Kind kind, String help) {}

  private final Kind key;
  private final List<Field> fields;

  Section(Kind key, Field... fields) {
    this.key = key;
    this.fields = List.of(fields);
  }

  Kind key() {
    return key;
  }

  /** The key as it is known: stores are told apart by where they are and not by how that is written. */
  String key(String said) {
    return this == STORE ? Path.of(said).normalize().toString() : said;
  }

  /** The field of this name; GROUPS have any. */
  Optional<Field> field(String name) {
    return this == GROUPS ? Optional.of(field(name, new Kind.Text(), ""))
        : fields.stream().filter(field -> field.name().equals(name)).findFirst();
  }

  /** Why a key that SCR has, or had, does nothing here; empty for other keys. */
  Optional<String> withoutEffect(String key) {
    return Optional.empty();
  }

  List<String> fieldNames() {
    return fields.stream().map(Field::name).toList();
  }

  static Optional<Section> named(String name) {
    return Stream.of(values()).filter(section -> section.name().equals(name)).findFirst();
  }

  List<Field> fields() {
    return fields;
  }

  private static Field field(String name, Kind kind, String help) {
    return new Field(name, kind, help);
  }
}
