import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes the wheel of the Python client: {@code java Wheel.java <clients/python> <version> <time> <directory>}. A wheel
 * is a zip file with a list of its content; making it here needs neither Python nor a network, and the same sources
 * give the same bytes.
 */
final class Wheel {
  private final String version;
  private final Path source;
  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private Wheel(Path source, String version) {
    this.source = source;
    this.version = version;
  }

  public static void main(String[] arguments) throws Exception {
    Wheel wheel = new Wheel(Path.of(arguments[0]), arguments[1]);
    wheel.collect();
    Path target = Files.createDirectories(Path.of(arguments[3]));
    wheel.write(target.resolve("vertx_scr-" + wheel.version + "-py3-none-any.whl"), Instant.parse(arguments[2]));
  }

  private void collect() throws Exception {
    try (Stream<Path> found = Files.list(source.resolve("scr"))) {
      for (Path file : found.filter(Files::isRegularFile).sorted().toList()) {
        files.put("scr/" + file.getFileName(), Files.readAllBytes(file));
      }
    }
    Path top = source.resolve("../..");
    String information = "vertx_scr-" + version + ".dist-info/";
    for (String licence : List.of("LICENSE", "NOTICE")) {
      files.put(information + "licenses/" + licence, Files.readAllBytes(top.resolve(licence)));
    }
    text(information + "METADATA", metadata());
    text(information + "WHEEL", "Wheel-Version: 1.0\nGenerator: vertx-scr\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
    text(information + "RECORD", record(information + "RECORD"));
  }

  /** From pyproject.toml, whose lines are plain enough to be read one by one. */
  private String metadata() throws IOException {
    List<String> lines = new ArrayList<>(List.of("Metadata-Version: 2.1"));
    List<String> project = Files.readAllLines(source.resolve("pyproject.toml"));
    lines.add("Name: " + value(project, "name"));
    if (!value(project, "version").equals(version)) {
      throw new IOException("pyproject.toml has version " + value(project, "version") + ", the build " + version);
    }
    lines.add("Version: " + version);
    lines.add("Summary: " + value(project, "description"));
    lines.add("License: Apache-2.0");
    project.stream().map(String::strip).filter(line -> line.startsWith("\"") && line.contains(" :: "))
        .forEach(line -> lines.add("Classifier: " + line.replaceAll("[\",]", "")));
    lines.add("Requires-Python: " + value(project, "requires-python"));
    lines.add("Description-Content-Type: text/markdown");
    return String.join("\n", lines) + "\n\n" + Files.readString(source.resolve("README.md"));
  }

  private static String value(List<String> project, String key) throws IOException {
    return project.stream().filter(line -> line.startsWith(key + " = \"")).findFirst()
        .map(line -> line.substring(line.indexOf('"') + 1, line.lastIndexOf('"')))
        .orElseThrow(() -> new IOException("pyproject.toml has no " + key));
  }

  private String record(String itself) throws Exception {
    StringBuilder record = new StringBuilder();
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(file.getValue());
      record.append(file.getKey()).append(",sha256=")
          .append(Base64.getUrlEncoder().withoutPadding().encodeToString(hash)).append(',')
          .append(file.getValue().length).append('\n');
    }
    return record.append(itself).append(",,\n").toString();
  }

  private void text(String name, String text) {
    files.put(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private void write(Path wheel, Instant time) throws IOException {
    try (OutputStream out = Files.newOutputStream(wheel); ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        entry.setTimeLocal(LocalDateTime.ofInstant(time, ZoneOffset.UTC));
        CRC32 crc = new CRC32();
        crc.update(file.getValue());
        entry.setCrc(crc.getValue());
        entry.setSize(file.getValue().length);
        zip.putNextEntry(entry);
        zip.write(file.getValue());
        zip.closeEntry();
      }
    }
  }
}
