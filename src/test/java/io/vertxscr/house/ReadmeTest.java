package io.vertxscr.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Goal: what the README shows can be copied. Method: its Java is given to the compiler; ReadmeExampleIT runs it. */
class ReadmeTest {
  @Test
  void itsJavaCompiles() throws IOException {
    assertThat(complaints(ReadmeExample.program())).isEmpty();
  }

  @Test
  void aCallThatDoesNotExistIsFound() throws IOException {
    assertThat(complaints(ReadmeExample.program().replace("startCheckpoint", "checkpoint")))
        .singleElement().asString().contains("checkpoint");
  }

  private static List<?> complaints(String program) throws IOException {
    var found = new DiagnosticCollector<JavaFileObject>();
    var source = new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return program;
      }
    };
    var options = List.of("-proc:none", "-classpath", System.getProperty("java.class.path"));
    ((JavacTask) ToolProvider.getSystemJavaCompiler().getTask(null, null, found, options, null, List.of(source)))
        .analyze();
    return found.getDiagnostics();
  }
}
