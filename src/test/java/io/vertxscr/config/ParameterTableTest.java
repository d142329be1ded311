package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Goal: docs/parameters.md names every parameter and name without effect, in the program's texts. */
class ParameterTableTest {
  @Test
  void everyNameHasItsRowAndNoOther() throws IOException {
    List<String> rows = Files.readAllLines(Path.of("docs/parameters.md")).stream()
        .filter(line -> line.startsWith("| `")).toList();

    assertThat(rows).containsExactlyElementsOf(Stream.concat(
        Arrays.stream(Parameter.values()).map(parameter -> row(parameter.name(), parameter.scope().name(),
            parameter.standard().isEmpty() ? "-" : parameter.standard(), parameter.help())),
        Arrays.stream(WithoutEffect.values()).map(one -> row(one.name(), one.reason()))).toList());
  }

  private static String row(String name, String... cells) {
    return "| `" + name + "` | " + String.join(" | ", cells) + " |";
  }
}
