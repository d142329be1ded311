package io.vertxscr.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: faults have the same names and numbers in C and in the daemon. Every function has its manual page, subroutine
 * and test. Method: the C sources are read as text.
 */
class NativeHeaderTest {
  private static final Path SOURCES = Path.of("clients/c");

  private static List<String> found(String file, String pattern) throws IOException {
    return Pattern.compile(pattern).matcher(Files.readString(SOURCES.resolve(file))).results()
        .map(match -> match.group(1)).toList();
  }

  @Test
  void everyFaultIsInTheHeaderWithItsNumber() throws IOException {
    Map<String, Integer> expected = new TreeMap<>();
    Arrays.stream(Fault.values()).forEach(fault -> expected.put(fault.name(), fault.number()));
    Map<String, Integer> header = new TreeMap<>();
    for (String line : found("include/scr.h", "#define SCR_ERR_(\\w+ \\d+)")) {
      String[] words = line.split(" ");
      header.put(words[0], Integer.parseInt(words[1]));
    }
    assertThat(header).isEqualTo(expected);
  }

  /** SCR_Configf formats a text, which Fortran does by itself. Queries about flushes are not part of SCR. */
  @Test
  void everyFunctionHasAManualPageASubroutineAndATest() throws IOException {
    List<String> functions = found("include/scr.h", "(?m)^(?:int|char\\*|const char\\*) (SCR_\\w+)\\(");
    assertThat(functions).hasSize(20).doesNotHaveDuplicates();
    for (String function : functions) {
      String upper = function.toUpperCase(Locale.ROOT);
      assertThat(SOURCES.resolve("man/" + function + ".3")).exists();
      assertThat(found("tests/every_function.c", "\\b(" + function + ")\\(")).as(function).isNotEmpty();
      if (!List.of("SCR_CONFIGF", "SCR_FLUSH_TEST", "SCR_FLUSH_WAIT").contains(upper)) {
        assertThat(found("include/scrf.h", "\\b(" + upper + ")\\(")).as(upper).hasSize(1);
        assertThat(found("tests/every_subroutine.f90", "\\b(" + upper.toLowerCase(Locale.ROOT) + ")\\(")).as(upper)
            .isNotEmpty();
      }
    }
  }

  @Test
  void everyFaultIsPrintedByItsNameAndInTheManual() throws IOException {
    List<String> names = found("src/fault.c", "\"([A-Z_]+)\",");
    assertThat(names.getFirst()).isEqualTo("SUCCESS");
    for (Fault fault : Fault.values()) {
      assertThat(names.get(fault.number())).isEqualTo(fault.name());
      assertThat(found("man/scr.7", "(?m)^(" + fault.number() + "\\|SCR_\\w*)")).singleElement().asString()
          .contains(fault == Fault.INTERNAL ? "FAILURE" : fault.name());
    }
  }
}
