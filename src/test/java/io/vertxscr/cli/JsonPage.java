package io.vertxscr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The fields of a command as docs/json.md lists them. */
public final class JsonPage {
  private final Set<String> required = new TreeSet<>();
  private final Set<String> optional = new TreeSet<>();

  /** @param heading of the section */
  public JsonPage(String heading) throws IOException {
    String page = Files.readString(Path.of("docs/json.md"));
    int at = page.indexOf("\n## " + heading + "\n");
    assertThat(at).as(heading).isNotNegative();
    String section = page.substring(at + 1).split("\n## ")[0];
    Pattern.compile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|.*\\|$").matcher(section).results().forEach(row ->
        (row.group(2).contains("*opt*") ? optional : required).add(row.group(1)));
    assertThat(required).isNotEmpty();
  }

  /**
   * Holds a sample against the page: no field is in it that the page lacks, and of the objects in it none lacks a field
   * that is not marked as one that may be missing.
   *
   * @return the fields in it
   */
  public Set<String> check(Object sample) {
    Set<String> found = new TreeSet<>();
    collect("", sample, found);
    Set<String> unknown = new TreeSet<>(found);
    unknown.removeIf(field -> required.contains(field) || optional.contains(field)
        || optional.stream().anyMatch(whole -> field.startsWith(whole + ".")));
    assertThat(unknown).as("in the answer, not on the page").isEmpty();
    missing("", sample);
    return found;
  }

  /** All fields on the page. */
  public Set<String> all() {
    return Stream.concat(required.stream(), optional.stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void collect(String path, Object value, Set<String> found) {
    switch (value) {
      case Map<?, ?> object -> object.forEach((name, field) ->
          collect(path.isEmpty() ? "" + name : path + "." + name, field, found));
      case List<?> array -> array.forEach(element -> collect(path + "[]", element, found));
      default -> found.add(path);
    }
  }

  /** Looks into every object of the sample for the required fields that stand directly in it. */
  private void missing(String path, Object value) {
    switch (value) {
      case Map<?, ?> object -> {
        String inside = path.isEmpty() ? "" : path + ".";
        for (String field : required) {
          if (field.startsWith(inside)) {
            String name = field.substring(inside.length());
            if (name.matches("\\w+(\\[\\])*")) {
              assertThat(object.keySet()).as(field).anyMatch(name.replace("[]", "")::equals);
            }
          }
        }
        object.forEach((name, field) -> missing(inside + name, field));
      }
      case List<?> array -> array.forEach(element -> missing(path + "[]", element));
      default -> {
        // A value.
      }
    }
  }
}
