package io.vertxscr.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Goal: each mutation of load-tests/mutations can be applied, and says how it is searched. */
class MutationsTest {
  private static final Path MUTATIONS = Path.of("load-tests/mutations");
  private static final Pattern HEADER = Pattern.compile("What: [^\n]+\n"
      + "(Profile: (?<profile>[a-z]+)( --first [0-9]+)?\n)?(Each: (?<each>[a-z_]+)( --first [0-9]+)?\n)?\n--- a/.*",
      Pattern.DOTALL);
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
    Optional<Profile> profile = Optional.ofNullable(header.group("profile"))
        .map(name -> Profile.valueOf(name.toUpperCase(Locale.ROOT)));
    Optional<Trouble.Kind> each = Optional.ofNullable(header.group("each"))
        .map(name -> Trouble.Kind.valueOf(name.toUpperCase(Locale.ROOT)));
    assertThat(profile.isPresent() || each.isPresent()).isTrue();
    assertThat(each.map(Sweep.KINDS::contains)).isNotEqualTo(Optional.of(false));
    List<String> before = new ArrayList<>();
    String program = "";
    for (String line : Stream.concat(Files.readAllLines(mutation).stream(), Stream.of("@@")).toList()) {
      if (line.startsWith(FILE) || line.startsWith("@@")) {
        assertThat(program).contains(String.join("\n", before));
        before.clear();
        program = line.startsWith(FILE) ? Files.readString(Path.of(line.substring(FILE.length()))) : program;
      } else if (!program.isEmpty() && (line.startsWith(" ") || line.startsWith("-") && !line.startsWith("---"))) {
        before.add(line.substring(1));
      }
    }
  }
}
