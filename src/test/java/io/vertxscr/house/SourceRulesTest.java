package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the bans of the house style hold everywhere. Method: {@link SourceRules} over every source file. */
@Execution(ExecutionMode.CONCURRENT)
class SourceRulesTest {
  @ParameterizedTest
  @ValueSource(strings = {"src/main/java", "src/test/java", "examples", "load-tests"})
  void everySourceFileKeepsTheRules(String root) throws IOException {
    List<Path> files = javaFiles(Path.of(root));
    try (var manager = ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null)) {
      assertThat(files.isEmpty() ? List.of() : SourceRules.complaints(manager.getJavaFileObjectsFromPaths(files)))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "public class A {}                                             | A is public and has no Javadoc",
      "import java.util.List; class A {}                             | imports java.util.List and does not use it",
      "import java.util.List; import java.util.List; class A {List l;} | imports java.util.List twice",
      "class A { void m() { try { } catch (Throwable e) { } } }      | catches Throwable",
      "class A { void m() throws Exception { Thread.sleep(1); } }    | sleeps",
      "class A { Object m = (Runnable) () -> java.lang.Thread.sleep(1); } | sleeps"})
  void aBreachIsFoundAndNamedWithItsLine(String source, String complaint) throws IOException {
    assertThat(SourceRules.complaints(List.of(source(source.replace('@', '\n')))))
        .singleElement().asString().matches(".*A\\.java:[12]: .*").contains(complaint);
  }

  @Test
  void whatIsAllowedIsNotFound() throws IOException {
    String good = """
        import java.util.List; import java.util.Map;
        /** Documented; see {@link List}. */
        public class A {
          static Map<Integer, Integer> map;
          class B { void m() { try { } catch (Exception e) { } } }
        }
        """;
    assertThat(SourceRules.complaints(List.of(source(good)))).isEmpty();
  }

  @Test
  void aLineThatIsTooLongOrHasATabIsFound() throws IOException {
    assertThat(SourceRules.complaints(List.of(source("class A {}//" + "x".repeat(97))))).isEmpty();
    assertThat(SourceRules.complaints(List.of(source("class A {}//" + "x".repeat(98))))).hasSize(1);
    assertThat(SourceRules.complaints(List.of(source("class A {\t}")))).hasSize(1);
  }

  private static JavaFileObject source(String text) {
    return new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return "package p; " + text;
      }
    };
  }

  private static List<Path> javaFiles(Path root) throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(f -> f.toString().endsWith(".java")).toList();
    }
  }
}
