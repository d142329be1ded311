package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.config.Parameter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what the documents say is shown by a test, is. Method: every row of their tables names at least one test in its
 * last column, and each of them is looked for in the sources: a method, {@code Class#method}, with some of its package
 * where two classes have one name; a whole class; a test program of the C client. "the same" is the test of the row
 * above. A row whose other cells are empty has tests of the row above, which may leave all to it. Rows below the
 * heading "Not shown yet" name none.
 */
class ShownByTest {
  private static final Path TESTS = Path.of("src/test/java");
  private static final Path C_TESTS = Path.of("clients/c/tests");
  private static final Pattern NAMED = Pattern.compile("`([\\w.]+)(?:#(\\w+))?`");
  /** A row with nothing but tests. */
  private static final Pattern MORE_TESTS = Pattern.compile("\\|(?: +\\|)+ *`[^|]*\\|");
  private static final String NOT_SHOWN = "## Not shown yet";

  @ParameterizedTest
  @ValueSource(strings = {"docs/faults.md", "docs/conformance.md", "docs/security.md"})
  void everyRowNamesTestsThatExist(String document) throws IOException {
    assertThat(complaints(Files.readAllLines(Path.of(document)), sources())).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Parameter.class)
  void everyParameterHasARowThatNamesItsEffect(Parameter parameter) throws IOException {
    assertThat(Files.readAllLines(Path.of("docs/conformance.md")).stream()
        .dropWhile(line -> !line.equals("## Parameters")).skip(1).takeWhile(line -> !line.startsWith("## "))
        .map(line -> line.split("\\|")).filter(cells -> cells.length > 1)
        .flatMap(cells -> Stream.of(cells[1].strip().split(", ")))).containsOnlyOnce(parameter.name());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '!', value = {
      "| a | `ShownByTest#everyRowNamesTestsThatExist` |       ! 0",
      "| a | `house.ShownByTest#everyRowNamesTestsThatExist` | ! 0",
      "| a | `client.ShownByTest#everyRowNamesTestsThatExist` | ! 1",
      "| a | `ShownByTest` |                                   ! 0",
      "| a | `ReadmeExample` |                                 ! 1",
      "| a | `no_such_test` |                                  ! 1",
      "| a | the same |                                        ! 0",
      "| a | `ShownByTest#sources` |                           ! 1",
      "| a | `ShownByTest#noSuch`, `NoSuchTest#aTest` |        ! 2",
      "| a | ShownByTest#everyRowNamesTestsThatExist |         ! 1",
      "| `ShownByTest#everyRowNamesTestsThatExist` | |         ! 1"})
  void aNameThatDoesNotExistIsFound(String row, int complaints) throws IOException {
    assertThat(complaints(List.of("## A", "| what | shown by |", "|---|---|", row), sources())).hasSize(complaints);
  }

  @Test
  void aTestMayStandInARowOfItsOwnBelow() throws IOException {
    List<String> head = List.of("## A", "| what | shown by |", "|---|---|", "| a | |");
    assertThat(complaints(Stream.concat(head.stream(),
        Stream.of("| | `ShownByTest#everyRowNamesTestsThatExist` |")).toList(), sources())).isEmpty();
    assertThat(complaints(Stream.concat(head.stream(), Stream.of("| | `NoSuchTest` |")).toList(), sources()))
        .hasSize(1);
    assertThat(complaints(Stream.concat(head.stream(), Stream.of("| b | `ShownByTest` |")).toList(), sources()))
        .hasSize(1);
    assertThat(complaints(head, sources())).hasSize(1);
  }

  @Test
  void whatIsNotShownYetNamesNoTest() throws IOException {
    List<String> head = List.of(NOT_SHOWN, "| what | shown by |", "|---|---|");
    assertThat(complaints(Stream.concat(head.stream(), Stream.of("| a | |")).toList(), sources())).isEmpty();
    assertThat(complaints(Stream.concat(head.stream(),
        Stream.of("| a | `ShownByTest#everyRowNamesTestsThatExist` |")).toList(), sources())).hasSize(1);
  }

  /** Returns the objections to a document's tables, as sentences that start with the line number. */
  private static List<String> complaints(List<String> lines, Map<String, String> sources) {
    List<String> complaints = new ArrayList<>();
    boolean shown = true;
    boolean inTable = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      shown = line.startsWith("## ") ? !line.equals(NOT_SHOWN) : shown;
      if (!line.startsWith("|")) {
        inTable = false;
      } else if (line.startsWith("|---")) {
        inTable = true;
      } else if (inTable) {
        boolean hasMore = i + 1 < lines.size() && MORE_TESTS.matcher(lines.get(i + 1).strip()).matches();
        complaints(i + 1, line, shown && !hasMore, shown, sources, complaints);
      }
    }
    return complaints;
  }

  private static void complaints(
      int number, String row, boolean mustName, boolean shown, Map<String, String> sources, List<String> complaints) {
    String[] cells = row.substring(1, row.length() - 1).split("(?<!\\\\)\\|", -1);
    List<MatchResult> named = NAMED.matcher(cells[cells.length - 1]).results().toList();
    if (mustName && named.isEmpty() && !cells[cells.length - 1].strip().equals("the same")) {
      complaints.add("line " + number + " names no test: " + row);
    }
    if (!shown && !named.isEmpty()) {
      complaints.add("line " + number + " names a test below '" + NOT_SHOWN + "': move it to its section: " + row);
    }
    for (MatchResult test : named) {
      if (!exists(test.group(1), test.group(2), sources)) {
        complaints.add("line " + number + ": there is no test " + test.group());
      }
    }
  }

  /** Whether there is such a test; without a method the whole class, or a program. */
  private static boolean exists(String name, String methodOrNull, Map<String, String> sources) {
    Pattern wanted = Pattern.compile(methodOrNull == null ? "@(?:Test|ParameterizedTest|RepeatedTest|ArchTest)\\b"
        : "(?s)@(?:Test|ParameterizedTest|RepeatedTest)\\b(?:(?!\\bvoid\\b).)*\\bvoid " + methodOrNull + "\\(");
    return methodOrNull == null && isProgram(name)
        || sources.entrySet().stream().anyMatch(source ->
            ("." + source.getKey()).endsWith("." + name) && wanted.matcher(source.getValue()).find());
  }

  private static boolean isProgram(String name) {
    return Stream.of(".c", ".f90", ".f").anyMatch(suffix -> Files.exists(C_TESTS.resolve(name + suffix)));
  }

  /** Of all test classes, by their full names. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(TESTS)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String name = TESTS.relativize(file).toString().replace(".java", "").replace('/', '.');
        sources.put(name, Files.readString(file));
      }
    }
    return sources;
  }
}
