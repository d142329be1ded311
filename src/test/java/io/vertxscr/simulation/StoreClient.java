package io.vertxscr.simulation;

import io.vertxscr.storage.object.MemoryObjectStore;
import io.vertxscr.storage.object.ObjectStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The requests of one process to the object store of all.
 *
 * <p>Each of them goes a {@link Way}, on which it may fail before it has happened, or behind that, which nobody hears
 * then. It may also be repeated by the client: its first answer is lost, and the second one is that of the repetition.
 */
final class StoreClient implements ObjectStore {
  private static final String LEASE = ".lock.lease";
  private static final String FREE = "free ";

  private final MemoryObjectStore store;
  private final Way way;
  /** Names of leases that it holds, as far as it knows. */
  private final Set<String> leases = new TreeSet<>();
  /** That it has begun and heard of, and not tried to end. */
  private final Set<String> uploads = new TreeSet<>();
  /** Null: nobody wants to know. */
  private List<Seen<?>> seen;

  /** What may happen to a request. */
  interface Way {
    /** To none of them anything. */
    Way OPEN = (_, _) -> Fate.ARRIVES;

    /** What becomes of a request. */
    enum Fate {
      ARRIVES,
      /** The store has carried it out, and its client repeats it. */
      IS_REPEATED
    }

    /**
     * A request is on its way, or its answer.
     *
     * @param request name of its kind
     * @param isDone whether the store has carried it out
     * @throws IOException with which it fails
     */
    Fate goes(String request, boolean isDone) throws IOException;
  }

  /** A question to the store. */
  private interface Request<T> {
    T ask() throws IOException;
  }

  /** What it was answered, in a form that can be compared. */
  private record Seen<T>(Request<T> question, Object answer) {
    boolean holds() {
      try {
        return Objects.equals(answer, comparable(question.ask()));
      } catch (IOException _) {
        return false;                                     // there is another version, or none
      }
    }

    static Object comparable(Object answer) {
      return answer instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : answer;
    }
  }

  StoreClient(MemoryObjectStore store, Way way) {
    this.store = store;
    this.way = way;
  }

  /** From now on remembers what it asks for and is answered. */
  void remembers() {
    seen = new ArrayList<>();
  }

  /** Whether it would be answered the same again. */
  boolean holds() {
    return seen.stream().allMatch(Seen::holds);
  }

  /** Whether it holds a lock. */
  boolean isLocking() {
    return !leases.isEmpty();
  }

  /** Locks that it holds, as far as it knows. */
  Set<String> leases() {
    return leases;
  }

  /** Uploads that it has begun and forgotten. */
  Set<String> openUploads() {
    uploads.retainAll(store.uploadIds());
    return uploads;
  }

  private <T> T asks(String what, Request<T> request) throws IOException {
    way.goes(what, false);
    T answer = request.ask();
    if (way.goes(what, true) == Way.Fate.IS_REPEATED) {
      answer = request.ask();
    }
    if (seen != null) {
      seen.add(new Seen<>(request, Seen.comparable(answer)));
    }
    return answer;
  }

  @Override
  public Optional<Found> head(String key) throws IOException {
    return asks("head", () -> store.head(key));
  }

  @Override
  public byte[] get(String key, String etag, long from, int count) throws IOException {
    return asks("get", () -> store.get(key, etag, from, count));
  }

  @Override
  public Found put(String key, ByteBuffer bytes, Map<String, String> metadata, Condition condition)
      throws IOException {
    boolean isLease = key.contains(LEASE);
    byte[] text = new byte[Math.min(FREE.length(), bytes.remaining())];
    bytes.duplicate().get(text);
    if (isLease) {
      leases.remove(key);                                 // also where that fails: it does not renew it any more
    }
    Found put = asks("put", () -> store.put(key, bytes.duplicate(), metadata, condition));
    if (isLease && !Arrays.equals(text, FREE.getBytes(StandardCharsets.UTF_8))) {
      leases.add(key);
    }
    return put;
  }

  @Override
  public String begin(String key, Map<String, String> metadata) throws IOException {
    String upload = asks("begin", () -> store.begin(key, metadata));
    uploads.add(upload);
    return upload;
  }

  @Override
  public UploadedPart upload(String key, String upload, int number, ByteBuffer bytes, int crc) throws IOException {
    return asks("upload", () -> store.upload(key, upload, number, bytes.duplicate(), crc));
  }

  @Override
  public Found complete(String key, String upload, List<UploadedPart> parts, int crc) throws IOException {
    return asks("complete", () -> store.complete(key, upload, parts, crc));
  }

  @Override
  public void abort(String key, String upload) throws IOException {
    uploads.remove(upload);
    asks("abort", () -> {
      store.abort(key, upload);
      return true;
    });
  }

  @Override
  public List<OpenUpload> uploads(String prefix) throws IOException {
    return asks("uploads", () -> store.uploads(prefix));
  }

  @Override
  public Found copy(Found from, String to, Map<String, String> metadata) throws IOException {
    return asks("copy", () -> store.copy(from, to, metadata));
  }

  @Override
  public void delete(String key) throws IOException {
    leases.remove(key);
    asks("delete", () -> {
      store.delete(key);
      return true;
    });
  }

  @Override
  public ObjectList list(String prefix, boolean flat, int most) throws IOException {
    return asks("list", () -> store.list(prefix, flat, most));
  }
}
