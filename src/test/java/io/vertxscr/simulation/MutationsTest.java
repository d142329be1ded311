package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: each mutation of load-tests/mutations can be applied to the program as it is. */
class MutationsTest {
  private static final Path MUTATIONS = Path.of("load-tests/mutations");
  private static final Pattern HEADER =
      Pattern.compile("What: .+\nProfile: (?<profile>[a-z]+)\n\n--- a/.*", Pattern.DOTALL);
  private static final String FILE = "+++ b/";

  static List<Path> mutations() throws IOException {
    try (Stream<Path> files = Files.list(MUTATIONS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("mutations")
  void aMutationSaysWhatItIsAndCanBeApplied(Path mutation) throws IOException {
    Matcher header = HEADER.matcher(Files.readString(mutation));
    assertThat(header.matches()).isTrue();
    assertThat(Profile.valueOf(header.group("profile").toUpperCase(Locale.ROOT))).isNotNull();
    List<String> before = new ArrayList<>();
    String program = "";
    for (String line : Stream.concat(Files.readAllLines(mutation).stream(), Stream.of("@@")).toList()) {
      if (line.startsWith(FILE)) {
        program = Files.readString(Path.of(line.substring(FILE.length())));
      } else if (line.startsWith("@@")) {
        assertThat(program).contains(String.join("\n", before));
        before.clear();
      } else if (!program.isEmpty() && (line.startsWith(" ") || line.startsWith("-") && !line.startsWith("---"))) {
        before.add(line.substring(1));
      }
    }
  }
}
