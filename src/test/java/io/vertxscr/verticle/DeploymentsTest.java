package io.vertxscr.verticle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a node deploys its directory's files in order, and refuses an invalid file by name. */
class DeploymentsTest {
  private static final String NAME = "io.vertxscr.verticle.DeploymentsTest$";

  @TempDir
  private Path directory;

  static final class First extends VerticleBase {}

  static final class Second extends VerticleBase {
    private final List<Object> seen;

    Second(List<Object> seen) {
      this.seen = seen;
    }

    @Override
    public Future<?> start() {
      seen.add(config().getString("colour") + " " + context.threadingModel());
      return Future.succeededFuture();
    }
  }

  static final class Broken extends VerticleBase {
    @Override
    public Future<?> start() {
      return Future.failedFuture("no disk");
    }
  }

  /** Method: a class that is compiled here, put in a jar beside its description, and deployed. */
  @Test
  void aSiteBringsItsVerticleInAJarBesideTheDescription() throws IOException {
    Path source = Files.writeString(directory.resolve("Mine.java"), """
        package site;
        public final class Mine extends io.vertx.core.VerticleBase {}
        """);
    Path classes = Files.createDirectory(directory.resolve("classes"));
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp",
        System.getProperty("java.class.path"), "-d", classes.toString(), source.toString())).isZero();
    try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(directory.resolve("mine.jar")))) {
      jar.putNextEntry(new ZipEntry("site/Mine.class"));
      Files.copy(classes.resolve("site/Mine.class"), jar);
    }
    write("90-mine.json", "{\"verticle\": \"site.Mine\"}");

    Class<? extends Deployable> mine = Deployments.read(directory).list().getFirst().verticle();
    assertThat(mine.getName()).isEqualTo("site.Mine");
    assertThat(mine.getSuperclass()).isSameAs(VerticleBase.class);
  }

  @Test
  void filesAreReadInTheOrderOfTheirNamesAndOthersAreLeftAlone() throws IOException {
    write("20-b.json", "{\"verticle\": \"" + NAME + "Second\", \"instances\": 2, \"threading\": \"WORKER\","
        + " \"settings\": {\"colour\": \"red\"}}");
    write("10-a.json", "{\"verticle\": \"" + NAME + "First\"}");
    write("notes.txt", "not for us");

    assertThat(Deployments.read(directory).list()).containsExactly(
        new Deployment("10-a.json", First.class, 1, ThreadingModel.EVENT_LOOP, new JsonObject()),
        new Deployment("20-b.json", Second.class, 2, ThreadingModel.WORKER, new JsonObject().put("colour", "red")));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "{                                            | not the JSON that is expected",
      "[]                                           | not the JSON that is expected",
      "{}                                           | no 'verticle'",
      "{'verticle': 7}                              | no class 7",
      "{'verticle': 'no.such.Verticle'}             | no class no.such.Verticle",
      "{'verticle': 'java.lang.String'}             | java.lang.String is not a Deployable",
      "{'verticle': 'FIRST', 'instanses': 1}        | unknown key 'instanses'; did you mean instances?",
      "{'verticle': 'FIRST', 'instances': 0}        | instances is 0: expected 1 to 1024",
      "{'verticle': 'FIRST', 'instances': 'two'}    | instances is two",
      "{'verticle': 'FIRST', 'threading': 'FIBRE'}  | threading is 'FIBRE': expected one of [EVENT_LOOP, WORKER",
      "{'verticle': 'FIRST', 'threading': 'EXTERNAL'} | threading is 'EXTERNAL'",
      "{'verticle': 'FIRST', 'settings': 3}         | not the JSON that is expected"})
  void aWrongFileIsRefusedByItsName(String json, String reason) throws IOException {
    write("10-x.json", json.replace('\'', '"').replace("FIRST", NAME + "First"));

    assertThatThrownBy(() -> Deployments.read(directory))
        .isInstanceOfSatisfying(ScrException.class, e -> assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION))
        .hasMessageContaining("10-x.json").hasMessageContaining(reason);
  }

  @Test
  void aDirectoryThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> Deployments.read(directory.resolve("none")))
        .isInstanceOf(ScrException.class).hasMessageContaining(directory + "/none");
  }

  @Test
  void eachInstanceComesFromTheFactoryAndGetsItsSettings() throws Exception {
    write("1.json", "{\"verticle\": \"" + NAME + "Second\", \"instances\": 3, \"settings\": {\"colour\": \"red\"}}");
    List<Object> seen = new CopyOnWriteArrayList<>();

    deploy(_ -> new Second(seen));

    assertThat(seen).containsExactly("red EVENT_LOOP", "red EVENT_LOOP", "red EVENT_LOOP");
  }

  @Test
  void theFirstThatDoesNotStartEndsItAndIsNamed() throws IOException {
    write("1.json", "{\"verticle\": \"" + NAME + "Broken\"}");
    write("2.json", "{\"verticle\": \"" + NAME + "First\"}");
    List<Class<?>> made = new CopyOnWriteArrayList<>();

    assertThatThrownBy(() -> deploy(type -> {
      made.add(type);
      return new Broken();
    })).hasMessageContaining("1.json").hasMessageContaining("no disk");
    assertThat(made).containsExactly(Broken.class);
  }

  @Test
  void theFilesThatAreShippedAreValidAndPartOfTheProgram() {
    assertThat(Deployments.builtIn()).isEqualTo(Deployments.read(Path.of("verticles")));
  }

  private void deploy(Function<Class<?>, Deployable> factory) throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Deployments.read(directory).deploy(vertx, factory, _ -> { }).await(30, TimeUnit.SECONDS);
    } finally {
      vertx.close().await(30, TimeUnit.SECONDS);
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }
}
