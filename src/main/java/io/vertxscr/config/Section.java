package io.vertxscr.config;

import io.vertxscr.model.Scheme;
import io.vertxscr.model.descriptor.Compression;
import io.vertxscr.model.descriptor.Redundancy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Entries that consist of a key and fields, such as {@code CKPT=0 INTERVAL=1 TYPE=XOR}: the name that comes first, what
 * its key looks like, and the fields that may follow.
 */
enum Section {
  /** The groups of a node; their names are free. */
  GROUPS(new Kind.Text()),
  /** A class of storage, by its base directory. */
  STORE(new Kind.Directory(),
      field("GROUP", new Kind.Text()),
      field("COUNT", new Kind.Int(1, 1024)),
      field("SIZE", new Kind.Bytes(1, Long.MAX_VALUE)),
      field("MKDIR", new Kind.Flag()),
      field("ENABLED", new Kind.Flag())),
  /** How some of the checkpoints are cached and protected. */
  CKPT(new Kind.Int(0, 255),
      field("INTERVAL", new Kind.Int(1, Integer.MAX_VALUE)),
      field("GROUP", new Kind.Text()),
      field("STORE", new Kind.Directory()),
      field("TYPE", new Kind.Word(Arrays.stream(Scheme.values()).map(Scheme::name).toList())),
      field("SET_SIZE", new Kind.Int(2, Redundancy.MAX_SET_SIZE)),
      field("SET_FAILURES", Parameter.SCR_SET_FAILURES.kind()),
      field("BYPASS", new Kind.Flag()),
      field("COMPRESS", new Kind.Word(List.of("NONE", "ZSTD"))),
      field("COMPRESS_LEVEL", new Kind.Int(Compression.MIN_LEVEL, Compression.MAX_LEVEL)),
      field("OUTPUT", new Kind.Flag()),
      field("ENABLED", new Kind.Flag()));

  /** What may follow the key. */
  record Field(String name, Kind kind) {}

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
    return this == GROUPS ? Optional.of(field(name, new Kind.Text()))
        : fields.stream().filter(field -> field.name().equals(name)).findFirst();
  }

  List<String> fieldNames() {
    return fields.stream().map(Field::name).toList();
  }

  static Optional<Section> named(String name) {
    return Stream.of(values()).filter(section -> section.name().equals(name)).findFirst();
  }

  private static Field field(String name, Kind kind) {
    return new Field(name, kind);
  }
}
