package io.vertxscr.storage.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.zip.CRC32;

/**
 * An object store in memory, with the rules of S3. These are conditions, checksums, parts of which only the last is
 * small. A test may stand before and after each call.
 */
public final class MemoryObjectStore implements ObjectStore {
  private final NavigableMap<String, Held> objects = new TreeMap<>();
  private final Map<String, Upload> uploads = new TreeMap<>();
  private final int minPartBytes;
  private final Supplier<Instant> clock;
  private Interference interference = Interference.NONE;
  private long ids;
  private final Map<String, Long> sentByKey = new HashMap<>();

  private record Held(byte[] bytes, String etag, Instant modified, Map<String, String> metadata) {}

  private record Upload(String key, Map<String, String> metadata, NavigableMap<Integer, byte[]> parts) {}

  /** What a test does to calls. */
  public interface Interference {
    Interference NONE = new Interference() {};

    /** Before anything has happened. */
    default void before(String call, String key) throws IOException {
      // nothing
    }

    /** When it has happened, and before that is known. */
    default void after(String call, String key) throws IOException {
      // nothing
    }
  }

  /** Work that changes the store. */
  private interface Change<T> {
    T make() throws IOException;
  }

  /** With a clock that goes on by a second with each change. */
  public MemoryObjectStore(int minPartBytes) {
    this(minPartBytes, new Supplier<>() {
      private long seconds;

      @Override
      public Instant get() {
        return Instant.ofEpochSecond(++seconds);
      }
    });
  }

  /** @param clock the store's own; what it says of an object is in whole seconds */
  public MemoryObjectStore(int minPartBytes, Supplier<Instant> clock) {
    this.minPartBytes = minPartBytes;
    this.clock = clock;
  }

  public synchronized void disturb(Interference by) {
    interference = by;
  }

  private <T> T call(String name, String key, Change<T> change) throws IOException {
    interference.before(name, key);
    T result;
    synchronized (this) {
      result = change.make();
    }
    interference.after(name, key);
    return result;
  }

  public synchronized List<String> keys() {
    return List.copyOf(objects.keySet());
  }

  public synchronized int openUploads() {
    return uploads.size();
  }

  /** Bytes of objects and parts that have come here. */
  public synchronized long sentBytes() {
    return sentByKey.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The same of one file of an {@link ObjectMachine}. */
  public synchronized long sentBytes(String relative) {
    return sentByKey.getOrDefault(ObjectMachine.KEYS + relative, 0L);
  }

  /** Flips a bit. */
  public synchronized void damage(String key) {
    Held held = objects.get(key);
    byte[] bytes = held.bytes.clone();
    bytes[bytes.length / 2] ^= 1;
    objects.put(key, new Held(bytes, held.etag, held.modified, held.metadata));
  }

  /** Removes all objects below a prefix. */
  public synchronized void clear(String prefix) {
    objects.keySet().removeIf(key -> key.startsWith(prefix));
  }

  private static byte[] copy(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }

  private static int crc(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private static String etag(byte[] bytes) {
    return Integer.toHexString(Arrays.hashCode(bytes)) + "-" + Integer.toHexString(crc(bytes)) + "-" + bytes.length;
  }

  private static Found found(String key, Held held) {
    return new Found(key, held.bytes.length, held.etag, held.modified, held.metadata);
  }

  private Found set(String key, byte[] bytes, Map<String, String> metadata) {
    Held held = new Held(bytes, etag(bytes), clock.get().truncatedTo(ChronoUnit.SECONDS), metadata);
    objects.put(key, held);
    return found(key, held);
  }

  @Override
  public Optional<Found> head(String key) throws IOException {
    return call("head", key, () -> Optional.ofNullable(objects.get(key)).map(held -> found(key, held)));
  }

  @Override
  public byte[] get(String key, String etag, long from, int count) throws IOException {
    return call("get", key, () -> {
      Held held = objects.get(key);
      if (held == null) {
        throw new NoSuchFileException(key);
      } else if (!held.etag.equals(etag)) {
        throw new ConditionFailedException(key);
      }
      return Arrays.copyOfRange(held.bytes, (int) from, (int) from + count);
    });
  }

  @Override
  public Found put(String key, ByteBuffer bytes, Map<String, String> metadata, Condition condition)
      throws IOException {
    byte[] content = copy(bytes);
    return call("put", key, () -> {
      Held held = objects.get(key);
      boolean holds = switch (condition) {
        case Condition.Anyhow _ -> true;
        case Condition.Absent _ -> held == null;
        case Condition.Unchanged(String etag) -> held != null && held.etag.equals(etag);
      };
      if (!holds) {
        throw new ConditionFailedException(key);
      }
      sentByKey.merge(key, (long) content.length, Long::sum);
      return set(key, content, metadata);
    });
  }

  @Override
  public String begin(String key, Map<String, String> metadata) throws IOException {
    return call("begin", key, () -> {
      String id = "upload-" + ++ids;
      uploads.put(id, new Upload(key, metadata, new TreeMap<>()));
      return id;
    });
  }

  private Upload upload(String key, String id) throws IOException {
    Upload upload = uploads.get(id);
    if (upload == null || !upload.key.equals(key)) {
      throw new NoSuchFileException(id);
    }
    return upload;
  }

  @Override
  public UploadedPart upload(String key, String upload, int number, ByteBuffer bytes, int crc) throws IOException {
    byte[] content = copy(bytes);
    return call("upload", key, () -> {
      if (crc(content) != crc) {
        throw new IOException("BadDigest");
      }
      upload(key, upload).parts.put(number, content);
      sentByKey.merge(key, (long) content.length, Long::sum);
      return new UploadedPart(number, etag(content), crc, content.length);
    });
  }

  @Override
  public Found complete(String key, String upload, List<UploadedPart> parts, int crc) throws IOException {
    return call("complete", key, () -> {
      Upload begun = upload(key, upload);
      int all = parts.stream().mapToInt(part -> (int) part.bytes()).sum();
      ByteBuffer bytes = ByteBuffer.allocate(all);
      for (UploadedPart part : parts) {
        byte[] content = begun.parts.get(part.number());
        if (content == null || !etag(content).equals(part.etag())) {
          throw new IOException("InvalidPart");
        } else if (content.length < minPartBytes && !part.equals(parts.getLast())) {
          throw new IOException("EntityTooSmall");
        }
        bytes.put(content);
      }
      if (crc(bytes.array()) != crc) {
        throw new IOException("BadDigest");
      }
      uploads.remove(upload);
      return set(key, bytes.array(), begun.metadata);
    });
  }

  @Override
  public void abort(String key, String upload) throws IOException {
    call("abort", key, () -> uploads.remove(upload));
  }

  @Override
  public List<OpenUpload> uploads(String prefix) throws IOException {
    return call("uploads", prefix, () -> uploads.entrySet().stream()
        .filter(upload -> upload.getValue().key.startsWith(prefix))
        .map(upload -> new OpenUpload(upload.getValue().key, upload.getKey())).toList());
  }

  @Override
  public Found copy(Found from, String to, Map<String, String> metadata) throws IOException {
    return call("copy", to, () -> {
      Held held = objects.get(from.key());
      if (held == null) {
        throw new NoSuchFileException(from.key());
      } else if (!held.etag.equals(from.etag())) {
        throw new ConditionFailedException(from.key());
      }
      return set(to, held.bytes, metadata);
    });
  }

  @Override
  public void delete(String key) throws IOException {
    call("delete", key, () -> objects.remove(key));
  }

  @Override
  public ObjectList list(String prefix, boolean flat, int most) throws IOException {
    return call("list", prefix, () -> {
      List<Found> found = new ArrayList<>();
      TreeSet<String> prefixes = new TreeSet<>();
      for (Map.Entry<String, Held> one : objects.tailMap(prefix, true).entrySet()) {
        if (!one.getKey().startsWith(prefix) || found.size() + prefixes.size() >= most) {
          break;
        }
        int slash = one.getKey().indexOf('/', prefix.length());
        if (flat && slash >= 0) {
          prefixes.add(one.getKey().substring(0, slash + 1));
        } else {
          Held held = one.getValue();
          found.add(new Found(one.getKey(), held.bytes.length, held.etag, held.modified, Map.of()));
        }
      }
      return new ObjectList(found, List.copyOf(prefixes));
    });
  }

  /** Ids of uploads that are not ended. */
  public synchronized Set<String> uploadIds() {
    return Set.copyOf(uploads.keySet());
  }

  /** The content of an object as text, for messages of tests. */
  public synchronized Map<String, String> texts() {
    Map<String, String> texts = new HashMap<>();
    objects.forEach((key, held) -> texts.put(key, new String(held.bytes, StandardCharsets.UTF_8)));
    return texts;
  }
}
