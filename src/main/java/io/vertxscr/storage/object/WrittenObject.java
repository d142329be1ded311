package io.vertxscr.storage.object;

import io.vertxscr.coding.Crc32s;
import io.vertxscr.storage.object.ObjectStore.Condition;
import io.vertxscr.storage.object.ObjectStore.Found;
import io.vertxscr.storage.object.ObjectStore.OpenUpload;
import io.vertxscr.storage.object.ObjectStore.UploadedPart;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * A file that this process writes. Up to one part it is a buffer, which a sync puts into the store whole; a larger one
 * is a multipart upload, each part of which is sent as soon as it is full. So no byte leaves before it is written
 * here, and at most one part of each writer waits.
 *
 * <p>Part n holds the bytes from (n - 1) * partBytes on, wherever a writer begins: several may write one file, as long
 * as each part is written by one of them. Thread-safe.
 */
final class WrittenObject {
  private static final int FIRST_BUFFER_BYTES = 1 << 12;

  private final ObjectStore store;
  private final String key;
  private final int partBytes;
  private final boolean grows;
  private final Map<Integer, PartBuffer> buffers = new HashMap<>();
  private final NavigableMap<Integer, UploadedPart> uploaded = new TreeMap<>();
  private ObjectStamp stamp;
  private Condition condition;
  private Optional<String> upload = Optional.empty();
  private Optional<Found> stored;
  private long bytes;
  private boolean dirty;
  private boolean stamped;
  private boolean ended;
  private int opens;

  /** The bytes of a part that are here. */
  private static final class PartBuffer {
    private byte[] content = new byte[FIRST_BUFFER_BYTES];
    private final FilledRanges filled = new FilledRanges();
    private int end;
    private boolean dirty = true;

    void put(ByteBuffer from, int at, int count, int most) {
      if (at + count > content.length) {
        content = Arrays.copyOf(content, (int) Math.min(most, Math.max(at + count, 2L * content.length)));
      }
      from.get(content, at, count);
      filled.add(at, at + count);
      end = Math.max(end, at + count);
      dirty = true;
    }

    void cut(int most) {
      filled.cut(most);
      end = Math.min(end, most);
      dirty = true;
    }

    boolean isWhole() {
      return filled.isWhole(end);
    }

    ByteBuffer bytes() {
      return ByteBuffer.wrap(content, 0, end);
    }
  }

  /** A new file. @param partBytes the same for all files of the process, as long as a draft is written */
  WrittenObject(ObjectStore store, String key, int partBytes, ObjectStamp stamp) {
    this(store, key, partBytes, stamp, true);
  }

  private WrittenObject(ObjectStore store, String key, int partBytes, ObjectStamp stamp, boolean grows) {
    this.grows = grows;
    this.store = store;
    this.key = key;
    this.partBytes = partBytes;
    this.stamp = stamp;
    this.condition = Condition.ABSENT;
    this.stored = Optional.empty();
  }

  /**
   * One that is in the store, to change it.
   *
   * @param content all of it, of this version
   * @param grows whether it may become larger than a part, which replaces it whatever it is by then: one writer's draft
   */
  WrittenObject(ObjectStore store, int partBytes, Found found, byte[] content, boolean grows) {
    this(store, found.key(), partBytes, ObjectStamp.of(found), grows);
    this.condition = new Condition.Unchanged(found.etag());
    this.stored = Optional.of(found);
    if (content.length > 0) {
      PartBuffer buffer = new PartBuffer();
      buffer.put(ByteBuffer.wrap(content), 0, content.length, partBytes);
      buffers.put(1, buffer);
      bytes = content.length;
    }
  }

  String key() {
    return key;
  }

  synchronized long bytes() {
    return bytes;
  }

  synchronized ObjectStamp stamp() {
    return stamp;
  }

  /** Mode or time have changed; they go to the store with the next sync. */
  synchronized void stamp(ObjectStamp changed) {
    dirty |= !changed.equals(stamp);
    stamped = true;
    stamp = changed;
  }

  /** When the store has it; empty before that. */
  synchronized Optional<Found> stored() {
    return stored;
  }

  synchronized void opened() {
    opens++;
  }

  /** @return whether nobody has it open and all of it is in the store, so that it need not be remembered here */
  synchronized boolean closed() {
    opens--;
    if (opens == 0 && isLarge()) {                        // its last part was sent; a draft may wait long for its name
      buffers.values().removeIf(buffer -> !buffer.dirty);
    }
    return opens == 0 && isSmall() && !dirty && stored.isPresent();
  }

  private boolean isSmall() {
    return upload.isEmpty() && uploaded.isEmpty() && bytes <= partBytes;
  }

  /** Whether it was, or is, a multipart upload. */
  synchronized boolean isLarge() {
    return !isSmall();
  }

  /**
   * Takes bytes at a position, and sends the parts that are full by that. @param touched gets the numbers of the parts
   */
  int write(ByteBuffer from, long at, Set<Integer> touched) throws IOException {
    int all = from.remaining();
    long position = at;
    while (from.hasRemaining()) {
      int number = number(position);
      int offset = (int) (position % partBytes);
      int count = Math.min(from.remaining(), partBytes - offset);
      touched.add(number);
      Optional<PartBuffer> full = take(from, number, offset, count);
      if (full.isPresent()) {
        send(number, full.get());
      }
      position += count;
    }
    return all;
  }

  private int number(long position) throws IOException {
    long number = position / partBytes + 1;
    if (number > ObjectStore.MOST_PARTS) {
      throw new FileSystemException(key, null, "a file of more than " + ObjectStore.MOST_PARTS + " parts of "
          + partBytes + " bytes; SCR_OBJECT_PART sets their size");
    }
    return (int) number;
  }

  private synchronized Optional<PartBuffer> take(ByteBuffer from, int number, int offset, int count)
      throws IOException {
    if (ended || stored.isPresent() && (isLarge() || number > 1 && !grows)) {
      throw new FileSystemException(key, null, "a large object cannot be changed in place");
    } else if (number > 1) {
      stored = Optional.empty();                          // a multipart upload from now on, which replaces it
    }
    PartBuffer buffer = buffers.computeIfAbsent(number, _ -> new PartBuffer());
    buffer.put(from, offset, count, partBytes);
    bytes = Math.max(bytes, (long) (number - 1) * partBytes + offset + count);
    dirty = true;
    if (stored.isPresent() || buffer.end < partBytes || !buffer.isWhole()) {
      return Optional.empty();
    }
    buffers.remove(number);
    return Optional.of(buffer);
  }

  private void send(int number, PartBuffer buffer) throws IOException {
    String id = uploadId();
    CRC32 crc = new CRC32();
    crc.update(buffer.content, 0, buffer.end);
    UploadedPart part = store.upload(key, id, number, buffer.bytes(), (int) crc.getValue());
    synchronized (this) {
      uploaded.put(number, part);
      buffer.dirty = false;
    }
  }

  private synchronized String uploadId() throws IOException {
    if (upload.isEmpty()) {
      for (OpenUpload left : store.uploads(key)) {        // by an earlier process: a draft has one writer
        if (left.key().equals(key)) {
          store.abort(key, left.id());
        }
      }
      upload = Optional.of(store.begin(key, stamp.asDraft(true).metadata()));
    }
    return upload.get();
  }

  /** Copies bytes that are still here. Empty where the file is large: it must be {@link #finish}ed to be read. */
  synchronized Optional<byte[]> content() {
    PartBuffer only = buffers.get(1);
    return !isSmall() ? Optional.empty()
        : Optional.of(only == null ? new byte[0] : Arrays.copyOf(only.content, only.end));
  }

  /** @throws IOException for a large file, where the end of what is sent already would be cut off */
  synchronized void truncate(long most) throws IOException {
    if (most >= bytes) {
      return;
    }
    if (isLarge() && (most / partBytes < buffersBegin() || stored.isPresent())) {
      throw new FileSystemException(key, null, "the end of a large object cannot be cut off; it must be written again");
    }
    buffers.entrySet().removeIf(entry -> (long) (entry.getKey() - 1) * partBytes >= most && entry.getKey() > 1);
    buffers.forEach((number, buffer) ->
        buffer.cut((int) Math.min(partBytes, most - (long) (number - 1) * partBytes)));
    bytes = most;
    dirty = true;
  }

  private long buffersBegin() {
    return uploaded.isEmpty() ? 0 : uploaded.lastKey();
  }

  /**
   * Syncs. A small file is in the store when this returns; of a large one the parts that this writer has filled, and
   * the last one.
   */
  void force(Set<Integer> touched) throws IOException {
    if (isLarge()) {
      for (int number : touched) {
        Optional<PartBuffer> last = unsentEnd(number);
        if (last.isPresent()) {
          send(number, last.get());
        }
      }
      return;
    }
    put(true);
  }

  private synchronized Optional<PartBuffer> unsentEnd(int number) {
    PartBuffer buffer = buffers.get(number);
    return buffer != null && buffer.dirty && buffer.isWhole()
        && (long) (number - 1) * partBytes + buffer.end == bytes ? Optional.of(buffer) : Optional.empty();
  }

  /** What a close does: as on a disk, others see it, but for a new file that is empty. */
  void settle() throws IOException {
    if (!isLarge()) {
      put(false);
    }
  }

  private synchronized void put(boolean synced) throws IOException {
    if (ended || stored.isPresent() && !dirty || stored.isEmpty() && bytes == 0 && !synced && !stamped) {
      return;
    }
    PartBuffer only = buffers.get(1);
    if (only != null && !only.isWhole()) {
      throw holes();
    }
    ByteBuffer content = only == null ? ByteBuffer.allocate(0) : only.bytes();
    Found now = ObjectFiles.put(store, key, content, stamp.metadata(), condition);
    stored = Optional.of(now);
    condition = new Condition.Unchanged(now.etag());
    dirty = false;
  }

  /** A lock of the file was taken: its content is what the last holder has left. Makes it, where it is missing. */
  synchronized void refresh() throws IOException {
    Optional<Found> now = store.head(key);
    if (now.isEmpty()) {
      try {
        put(true);
        return;
      } catch (ObjectStore.ConditionFailedException _) {
        now = store.head(key);                            // somebody who shares the lock was faster
      }
    }
    if (now.isPresent() && !now.map(Found::etag).equals(stored.map(Found::etag)) && now.get().bytes() <= partBytes) {
      buffers.clear();
      bytes = now.get().bytes();
      if (bytes > 0) {
        PartBuffer buffer = new PartBuffer();
        buffer.put(ByteBuffer.wrap(store.get(key, now.get().etag(), 0, (int) bytes)), 0, (int) bytes, partBytes);
        buffers.put(1, buffer);
      }
      stamp = ObjectStamp.of(now.get());
      condition = new Condition.Unchanged(now.get().etag());
      stored = now;
      dirty = false;
    }
  }

  private FileSystemException holes() {
    return new FileSystemException(key, null, "the file has holes, which an object cannot have");
  }

  /** Makes the object whole in the store, unless it is. @return it, with its draft's metadata where it is large */
  synchronized Found finish() throws IOException {
    if (ended) {
      throw new FileSystemException(key, null, "the file was deleted");
    }
    if (isSmall()) {
      put(true);
    } else if (stored.isEmpty()) {
      complete();
    }
    return stored.orElseThrow();
  }

  private void complete() throws IOException {
    for (Map.Entry<Integer, PartBuffer> left : new TreeMap<>(buffers).entrySet()) {
      PartBuffer buffer = left.getValue();
      if (!buffer.isWhole()) {
        throw holes();
      } else if (buffer.dirty) {
        send(left.getKey(), buffer);
      }
    }
    List<UploadedPart> parts = new ArrayList<>(uploaded.values());
    int crc = 0;
    long all = 0;
    for (UploadedPart part : parts) {
      if (part.number() != all / partBytes + 1 || all % partBytes != 0) {
        throw holes();
      }
      crc = all == 0 ? part.crc() : Crc32s.combine(crc, part.crc(), part.bytes());
      all += part.bytes();
    }
    if (all != bytes) {
      throw holes();
    }
    stored = Optional.of(complete(parts, crc));
    upload = Optional.empty();
    buffers.clear();
  }

  /**
   * Ends the upload. One that is not there any more may have been ended by an earlier request, whose answer was lost.
   */
  private Found complete(List<UploadedPart> parts, int crc) throws IOException {
    try {
      return store.complete(key, uploadId(), parts, crc);
    } catch (NoSuchFileException e) {
      Optional<Found> there = store.head(key)
          .filter(found -> found.bytes() == bytes && ObjectStamp.of(found).id().equals(stamp.id()));
      if (there.isPresent()) {
        return there.get();
      }
      throw e;
    }
  }

  /** It is deleted or renamed: nothing is left here or on its way. */
  synchronized void end() throws IOException {
    ended = true;
    buffers.clear();
    if (upload.isPresent()) {
      store.abort(key, upload.get());
      upload = Optional.empty();
    }
  }
}
