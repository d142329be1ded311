package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;
import io.vertxscr.model.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Object stores that a process sees as directories (docs/flows/object-store.md).
 *
 * @param mounts in the order in which they were written; no directory is another one's or below it
 * @param partBytes of multipart uploads: a power of two, 8 to 64 MiB, so that an extent of a flush begins a part
 * @param pathStyle whether the bucket is part of the path of a request, not of the name of the host
 */
public record ObjectSettings(List<Bucket> mounts, int partBytes, boolean pathStyle) {
  static final int MIN_PART_BYTES = 8 << 20;
  static final int MAX_PART_BYTES = 64 << 20;
  private static final Pattern MOUNT =
      Pattern.compile("(/[^=\\s]*)=s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(\\S*))?");

  /** A bucket at a directory. @param keyPrefix of all objects; empty, or with a slash at its end */
  public record Bucket(String directory, String bucket, String keyPrefix) {
    private boolean contains(Bucket other) {
      return (other.directory + "/").startsWith(directory + "/");
    }
  }

  public ObjectSettings {
    mounts = List.copyOf(mounts);
    Checks.range("SCR_OBJECT_PART", partBytes, MIN_PART_BYTES, MAX_PART_BYTES);
    if (Integer.bitCount(partBytes) != 1) {
      throw Checks.bad("SCR_OBJECT_PART is " + partBytes + ": expected 8MB, 16MB, 32MB or 64MB");
    }
    for (Bucket one : mounts) {
      if (mounts.stream().anyMatch(other -> other != one && other.contains(one))) {
        throw Checks.bad("SCR_OBJECT_MOUNT: " + one.directory + " is mounted twice, or below another mount");
      }
    }
  }

  /** Of a configuration. @throws io.vertxscr.model.ScrException BAD_CONFIGURATION naming what cannot be read */
  public static ObjectSettings of(Configuration system) {
    Effective values = system.effective();
    return new ObjectSettings(
        mounts(values.text(Parameter.SCR_OBJECT_MOUNT)), (int) Math.min(values.bytes(Parameter.SCR_OBJECT_PART),
            Integer.MAX_VALUE), values.flag(Parameter.SCR_OBJECT_PATH_STYLE));
  }

  /** @param text directory=s3://bucket/prefix, several with spaces between */
  static List<Bucket> mounts(String text) {
    List<Bucket> mounts = new ArrayList<>();
    for (String one : Stream.of(text.split("\\s+")).filter(part -> !part.isEmpty()).toList()) {
      Matcher parts = MOUNT.matcher(one);
      if (!parts.matches()) {
        throw Checks.bad("SCR_OBJECT_MOUNT '" + one + "': expected /directory=s3://bucket/prefix");
      }
      mounts.add(new Bucket(directory(parts.group(1)), parts.group(2), keyPrefix(parts.group(3))));
    }
    return mounts;
  }

  private static String directory(String said) {
    List<String> names = Stream.of(said.split("/")).filter(name -> !name.isEmpty()).toList();
    if (names.isEmpty() || names.contains(".") || names.contains("..") || said.length() > Limits.MAX_NAME_CHARS) {
      throw Checks.bad("SCR_OBJECT_MOUNT: a bucket cannot be mounted at '" + said + "'");
    }
    return "/" + String.join("/", names);
  }

  private static String keyPrefix(String said) {
    String path = said == null ? "" : said.replaceAll("/+$", "");
    if (Stream.of((path + "/").split("/")).anyMatch(name -> name.equals(".") || name.equals(".."))
        || path.contains("//") || path.startsWith("/")) {
      throw Checks.bad("SCR_OBJECT_MOUNT: '" + said + "' cannot be the prefix of objects");
    }
    return path.isEmpty() ? "" : path + "/";
  }
}
