package io.vertxscr.system;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A test on embedded nodes: one Vert.x for all tests of a class, a directory for each. */
@ExtendWith(VertxExtension.class)
abstract class EmbeddedTest {
  Vertx vertx;

  @TempDir
  Path directory;

  /** Asked for here, so that it lives as long as the class. */
  @BeforeAll
  static void open(Vertx ofClass) {}

  @BeforeEach
  void use(Vertx ofClass) {
    vertx = ofClass;
  }
}
