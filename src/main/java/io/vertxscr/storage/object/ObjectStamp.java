package io.vertxscr.storage.object;

import io.vertxscr.storage.object.ObjectStore.Found;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is kept of a file beside its bytes, as metadata of its object.
 * <pre>
 *   scr-id      what an inode number is: a name keeps it when it is renamed or linked, a new file has a new one
 *   scr-mode    who may read, write and execute it: nine bits, octal
 *   scr-time    of its last change, as seconds.nanoseconds since 1970; the store's own time where it is missing
 *   scr-draft   1 while it is a multipart upload that was not renamed yet: of another process it does not exist
 * </pre>
 *
 * @param modified empty until somebody sets it
 * @param draft see above
 */
record ObjectStamp(String id, int mode, Optional<Instant> modified, boolean draft) {
  private static final String ID = "scr-id";
  private static final String MODE = "scr-mode";
  private static final String TIME = "scr-time";
  private static final String DRAFT = "scr-draft";
  private static final int STANDARD_MODE = 0640;
  private static final int OCTAL = 8;
  private static final PosixFilePermission[] BITS = PosixFilePermission.values();

  static ObjectStamp of(String id) {
    return new ObjectStamp(id, STANDARD_MODE, Optional.empty(), false);
  }

  /** That of an object, which may be anybody's. */
  static ObjectStamp of(Found found) {
    Map<String, String> said = found.metadata();
    return new ObjectStamp(said.getOrDefault(ID, found.etag()), mode(said.get(MODE)), time(said.get(TIME)),
        said.containsKey(DRAFT));
  }

  private static int mode(String text) {
    try {
      return text == null ? STANDARD_MODE : Integer.parseInt(text, OCTAL) & 0777;
    } catch (NumberFormatException _) {
      return STANDARD_MODE;
    }
  }

  private static Optional<Instant> time(String text) {
    if (text == null || !text.matches("-?[0-9]{1,18}\\.[0-9]{1,9}")) {
      return Optional.empty();
    }
    int dot = text.indexOf('.');
    try {
      return Optional.of(
          Instant.ofEpochSecond(Long.parseLong(text.substring(0, dot)), Long.parseLong(text.substring(dot + 1))));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  Map<String, String> metadata() {
    Map<String, String> said = new HashMap<>(Map.of(ID, id, MODE, Integer.toString(mode, OCTAL)));
    modified.ifPresent(time -> said.put(TIME, time.getEpochSecond() + "." + time.getNano()));
    if (draft) {
      said.put(DRAFT, "1");
    }
    return Map.copyOf(said);
  }

  ObjectStamp at(FileTime time) {
    return new ObjectStamp(id, mode, Optional.of(time.toInstant()), draft);
  }

  ObjectStamp with(Set<PosixFilePermission> permissions) {
    int bits = permissions.stream().mapToInt(ObjectStamp::bit).sum();
    return new ObjectStamp(id, bits, modified, draft);
  }

  ObjectStamp asDraft(boolean is) {
    return new ObjectStamp(id, mode, modified, is);
  }

  Set<PosixFilePermission> permissions() {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : BITS) {
      if ((mode & bit(permission)) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }

  /** They are declared in the order of a mode's bits, the highest first. */
  private static int bit(PosixFilePermission permission) {
    return 1 << (BITS.length - 1 - permission.ordinal());
  }
}
