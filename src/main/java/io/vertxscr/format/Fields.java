package io.vertxscr.format;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Typed view of a hash with its path, for messages: {@code index file: DSET/3/COMPLETE: missing}. Every method throws
 * CORRUPT for a key that is missing (unless it says {@code find}) or malformed.
 *
 * <p>Decimal numbers must be written the one usual way: were {@code 7} and {@code 07} both rank 7, one would hide the
 * other.
 */
public final class Fields {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss").withResolverStyle(ResolverStyle.STRICT);
  private static final Pattern CRC = Pattern.compile("0x[0-9a-fA-F]{1,8}");

  private final Hash hash;
  private final String kind;
  /** Parent and key of this view; null for a whole file. The path is built lazily, for messages only. */
  private final Fields above;
  private final String name;

  private Fields(Hash hash, String kind, Fields above, String name) {
    this.hash = hash;
    this.kind = kind;
    this.above = above;
    this.name = name;
  }

  /** Decodes a file and reads its tree; a refusal by the model's records is CORRUPT as well. */
  public static <T> T read(byte[] file, String kind, Function<Fields, T> reader) {
    return read(file, kind, Excerpt.WHOLE, reader);
  }

  /** Reads an excerpt; the reader must not access omitted parts. */
  public static <T> T read(byte[] file, String kind, Excerpt excerpt, Function<Fields, T> reader) {
    try {
      return reader.apply(new Fields(HashFile.decode(file, kind, excerpt), kind, null, ""));
    } catch (ScrException e) {
      if (e.fault() == Fault.CORRUPT) {
        throw e;
      }
      throw new ScrException(Fault.CORRUPT, kind + ": " + e.getMessage(), e);
    }
  }

  public static String time(LocalDateTime time) {
    return TIME.format(time);
  }

  public static String crc(int crc) {
    return "0x" + HexFormat.of().toHexDigits(crc);
  }

  public static int flag(boolean set) {
    return set ? 1 : 0;
  }

  public Fields child(String key) {
    return find(key).orElseThrow(() -> corrupt(key, "missing"));
  }

  public Optional<Fields> find(String key) {
    Hash child = hash.children().get(key);
    return child == null ? Optional.empty() : Optional.of(new Fields(child, kind, this, key));
  }

  public boolean has(String key) {
    return hash.children().containsKey(key);
  }

  /** All keys below this one, each with what it holds. */
  public Map<String, Hash> children() {
    return hash.children();
  }

  /** All children of {@code key}, which are numbers from 0 up; none where the key is missing. */
  public SortedMap<Integer, Fields> numbered(String key) {
    SortedMap<Integer, Fields> numbered = new TreeMap<>();
    find(key).ifPresent(below -> {
      for (String number : below.children().keySet()) {
        numbered.put((int) below.number(number, number, 0, Integer.MAX_VALUE), below.child(number));
      }
    });
    return numbered;
  }

  /** The children of {@code key}, numbered 0, 1, ... without a gap, in that order. */
  public List<Fields> listed(String key) {
    SortedMap<Integer, Fields> numbered = numbered(key);
    if (!numbered.isEmpty() && numbered.lastKey() != numbered.size() - 1) {
      throw corrupt(key, "its " + numbered.size() + " entries are not numbered 0 to " + (numbered.size() - 1));
    }
    return List.copyOf(numbered.values());
  }

  public String text(String key) {
    return findText(key).orElseThrow(() -> corrupt(key, "missing"));
  }

  public Optional<String> findText(String key) {
    if (!has(key)) {
      return Optional.empty();
    }
    Set<String> values = values(key);
    if (values.size() != 1) {
      throw corrupt(key, "expected one value, found " + values.size());
    }
    return Optional.of(values.iterator().next());
  }

  /** The values of {@code key}, in no particular order; none where it is missing. */
  public List<String> texts(String key) {
    return has(key) ? List.copyOf(values(key)) : List.of();
  }

  private Set<String> values(String key) {
    Map<String, Hash> values = hash.children().get(key).children();
    for (Map.Entry<String, Hash> value : values.entrySet()) {
      if (!value.getValue().children().isEmpty()) {
        throw corrupt(key, "'" + value.getKey() + "' is no value, there are keys below it");
      }
    }
    return values.keySet();
  }

  public int integer(String key, int least) {
    return (int) number(key, text(key), least, Integer.MAX_VALUE);
  }

  public long number(String key, long least) {
    return number(key, text(key), least, Long.MAX_VALUE);
  }

  public OptionalInt findInteger(String key, int least) {
    return has(key) ? OptionalInt.of(integer(key, least)) : OptionalInt.empty();
  }

  public OptionalLong findNumber(String key, long least) {
    return has(key) ? OptionalLong.of(number(key, least)) : OptionalLong.empty();
  }

  public boolean flag(String key) {
    return number(key, text(key), 0, 1) == 1;
  }

  public OptionalInt findCrc(String key) {
    Optional<String> text = findText(key);
    if (text.isEmpty()) {
      return OptionalInt.empty();
    }
    if (!CRC.matcher(text.get()).matches()) {
      throw corrupt(key, "'" + text.get() + "' is no CRC: expected 0x and up to 8 hexadecimal digits");
    }
    return OptionalInt.of(Integer.parseUnsignedInt(text.get().substring(2), 16));
  }

  public Optional<LocalDateTime> findTime(String key) {
    return findText(key).map(text -> time(key, text));
  }

  /** The values of {@code key}, ascending. */
  public List<LocalDateTime> times(String key) {
    return texts(key).stream().map(text -> time(key, text)).sorted().toList();
  }

  /** Refuses all but this value. */
  public void expect(String key, Object expected) {
    if (!text(key).equals(expected.toString())) {
      throw corrupt(key, "is '" + text(key) + "', expected " + expected);
    }
  }

  public <E extends Enum<E>> E constant(String key, Class<E> type, String text) {
    try {
      return Enum.valueOf(type, text);
    } catch (IllegalArgumentException _) {
      throw corrupt(key, "'" + text + "' is none of " + List.of(type.getEnumConstants()));
    }
  }

  public ScrException corrupt(String key, String what) {
    return HashFile.corrupt(kind, way(key) + ": " + what);
  }

  private LocalDateTime time(String key, String text) {
    try {
      return LocalDateTime.parse(text, TIME);
    } catch (DateTimeParseException _) {
      throw corrupt(key, "'" + text + "' is no time: expected yyyy-MM-ddTHH:mm:ss");
    }
  }

  private long number(String key, String text, long least, long most) {
    try {
      long number = Long.parseLong(text);
      if (Long.toString(number).equals(text) && number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException _) {
      // the message below says it better
    }
    throw corrupt(key, "'" + text + "' is no number from " + least + " to " + most);
  }

  private String way(String key) {
    return above == null ? key : above.way(name) + "/" + key;
  }
}
