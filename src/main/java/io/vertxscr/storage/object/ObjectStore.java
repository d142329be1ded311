package io.vertxscr.storage.object;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is used of an object store, for the objects of one bucket. Reads and lists see each write that has returned.
 *
 * <p>Every call blocks, is retried within bounds by whoever implements it, and may have happened although it fails.
 * Thread-safe.
 */
public interface ObjectStore {
  /** Most parts of an upload, by the protocol. All but the last have at least 5 MiB. */
  int MOST_PARTS = 10_000;

  /**
   * An object as it is now.
   *
   * @param etag changes whenever its bytes do
   * @param modified by the clock of the store
   * @param metadata names in lower case; empty where the object comes from a list
   */
  record Found(String key, long bytes, String etag, Instant modified, Map<String, String> metadata) {}

  /** A part of a multipart upload that the store has. @param number from 1 */
  record UploadedPart(int number, String etag, int crc, long bytes) {}

  /** A multipart upload that is not ended. */
  record OpenUpload(String key, String id) {}

  /** Names below a prefix, in their order. @param prefixes common ones up to the next slash, which they include */
  record ObjectList(List<Found> objects, List<String> prefixes) {}

  /** What must hold for a write, at the moment at which it is made. */
  sealed interface Condition {
    /** Nothing must. */
    record Anyhow() implements Condition {}

    /** There is no such object. */
    record Absent() implements Condition {}

    /** The object is still this version. */
    record Unchanged(String etag) implements Condition {}

    Condition ANYHOW = new Anyhow();
    Condition ABSENT = new Absent();
  }

  /** A {@link Condition} did not hold; nothing was written. */
  final class ConditionFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public ConditionFailedException(String key) {
      super("object " + key + " was changed by somebody else meanwhile");
    }
  }

  /** The object now; empty where there is none. */
  Optional<Found> head(String key) throws IOException;

  /**
   * Bytes of one version of an object.
   *
   * @param count how many; the object has them
   * @throws ConditionFailedException if the object is not this version any more
   * @throws java.nio.file.NoSuchFileException if it is gone
   */
  byte[] get(String key, String etag, long from, int count) throws IOException;

  /**
   * Writes a whole object; its bytes are sent with their CRC-32, which the store compares.
   *
   * @throws ConditionFailedException see there
   */
  Found put(String key, ByteBuffer bytes, Map<String, String> metadata, Condition condition) throws IOException;

  /** Begins a multipart upload. @return its id */
  String begin(String key, Map<String, String> metadata) throws IOException;

  /** Uploads a part, with its CRC-32, which the store compares; replaces an earlier one of this number. */
  UploadedPart upload(String key, String upload, int number, ByteBuffer bytes, int crc) throws IOException;

  /** Makes the object of its parts. @param crc of all bytes */
  Found complete(String key, String upload, List<UploadedPart> parts, int crc) throws IOException;

  /** Ends a multipart upload without an object, if there is one. */
  void abort(String key, String upload) throws IOException;

  /** Multipart uploads that are not ended, of objects whose names begin so. */
  List<OpenUpload> uploads(String prefix) throws IOException;

  /** Copies within the store, in one step for readers. The copy has this metadata alone. */
  Found copy(Found from, String to, Map<String, String> metadata) throws IOException;

  /** Deletes an object, if there is one. */
  void delete(String key) throws IOException;

  /** Objects whose names begin so: all levels, where not flat. @param most at least 1; then the list ends */
  ObjectList list(String prefix, boolean flat, int most) throws IOException;
}
