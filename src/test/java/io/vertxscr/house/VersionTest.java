package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertxscr.model.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: one number says which release this is, the POM's. Method: the files that a build cannot filter, because they
 * are used as they are, are read as text.
 */
class VersionTest {
  private static final String NUMBER = "(\\d+\\.\\d+\\.\\d+(?:-\\w+)?)";

  private static List<String> numbers(String file, String pattern) throws IOException {
    return Pattern.compile(pattern.formatted(NUMBER)).matcher(Files.readString(Path.of(file))).results()
        .map(match -> match.group(1)).distinct().toList();
  }

  @Test
  void everyFileHasTheNumberOfThePom() throws IOException {
    String number = numbers("pom.xml", "<artifactId>vertx-scr</artifactId>\\s*<version>%s</version>").getFirst();

    assertThat(Release.NAME).isEqualTo(number);
    assertThat(numbers("clients/c/CMakeLists.txt", "project\\(scr VERSION %s")).containsExactly(number);
    assertThat(numbers("clients/python/pyproject.toml", "(?m)^version = \"%s\"")).containsExactly(number);
    assertThat(numbers("conf/kubernetes/scr.yaml", "/vertx-scr:%s")).containsExactly(number);
    assertThat(numbers("conf/kubernetes/sidecar.yaml", "/vertx-scr:%s")).containsExactly(number);
    assertThat(numbers("README.md", "vertx-scr[-_a-z]*[-_:]%s")).containsExactly(number);
    assertThat(numbers("README.md", "<version>%s</version>")).containsExactly(number);
    assertThat(numbers("CHANGELOG.md", "(?m)^## \\[%s\\]").getFirst()).isEqualTo(number);
  }
}
