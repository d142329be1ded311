package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Goal: what the README shows can be copied. Method: its Java is given to the compiler. */
class ReadmeTest {
  private static final String AROUND = """
      import io.vertxscr.client.*;
      import java.nio.file.*;
      import java.util.*;
      class Example {
        void run() throws Exception {
          %s
        }
      }
      """;

  @Test
  void itsJavaCompiles() throws IOException {
    List<String> examples = Pattern.compile("(?s)```java\n(.*?)```").matcher(Files.readString(Path.of("README.md")))
        .results().map((MatchResult match) -> match.group(1)).toList();

    assertThat(examples).isNotEmpty();
    assertThat(examples).allSatisfy(example -> assertThat(complaints(example)).isEmpty());
  }

  @Test
  void aCallThatDoesNotExistIsFound() throws IOException {
    assertThat(complaints("Scr.fromEnvironment().checkpoint();")).singleElement().asString().contains("checkpoint");
  }

  private static List<?> complaints(String statements) throws IOException {
    var found = new DiagnosticCollector<JavaFileObject>();
    var source = new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return AROUND.formatted(statements);
      }
    };
    var options = List.of("-proc:none", "-classpath", System.getProperty("java.class.path"));
    ((JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, null, found, options, null, List.of(source)))
        .analyze();
    return found.getDiagnostics();
  }
}
