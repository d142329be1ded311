package io.vertxscr.redundancy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertxscr.model.Fault;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.DirectRanges;
import io.vertxscr.redundancy.range.KnownLayouts;
import io.vertxscr.redundancy.range.RangeRequest.RangeKind;
import io.vertxscr.redundancy.range.RangeRequest;
import io.vertxscr.redundancy.range.RangeStream;
import io.vertxscr.storage.DatasetStore;
import io.vertxscr.storage.NodeDirectories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: of a neighbour only files of its stores are read by path, whatever it says of itself. Method: the
 * store of a node beside that of a neighbour, a secret of the user outside both, and every way to have it read.
 */
@Timeout(60)
class DirectReadTest {
  private static final String SECRET = "secret";
  private static final int ID = 7;
  private static final int ANOTHER_USER = 4242;

  @TempDir
  private Path root;
  private Path base;
  private Path outside;
  private DatasetStore reader;
  private DatasetStore neighbour;
  private KnownLayouts layouts;

  @BeforeEach
  void twoNodesOnOneHost() throws IOException {
    base = Files.createDirectory(root.resolve("base"));
    outside = Files.createDirectories(root.resolve("home/rank.0"));
    Files.writeString(outside.resolve("key"), SECRET);
    reader = DatasetStore.open(directories("n1"));
    neighbour = DatasetStore.open(directories("n2"));
    layouts = new KnownLayouts(reader::neighbour);
  }

  private NodeDirectories directories(String node) {
    Path below = Path.of("u", "scr.7", node);
    return new NodeDirectories(base, below, root.resolve("control").resolve(below));
  }

  /** What the neighbour says. @return whether it is read by path */
  private boolean says(String store, String file) {
    layouts.store("n2", store);
    layouts.files(new RankFiles(0, List.of(new FileMeta(file, "x", SECRET.length(), OptionalInt.empty()))));
    return direct().serves(request());
  }

  private DirectRanges direct() {
    return new DirectRanges(Set.of("n2"), layouts, Fault.CORRUPT);
  }

  private static RangeRequest request() {
    return new RangeRequest("n2", ID, 0, RangeKind.FILES, 0, SECRET.length());
  }

  private String read() {
    ByteBuffer into = ByteBuffer.allocate(SECRET.length());
    try (RangeStream stream = direct().open(request())) {
      stream.read(into);
    }
    return new String(into.array(), StandardCharsets.UTF_8);
  }

  private void isRefused(String why) {
    assertThatExceptionOfType(ScrException.class).isThrownBy(this::read).withMessageContaining(why);
  }

  @Test
  void filesOfAStoreThatBothUseAreReadByPath() throws IOException {
    Files.writeString(neighbour.createDirectory(ID, 0).resolve("key"), "mine..");
    assertThat(says(base.toString(), "rank.0/key")).isTrue();
    assertThat(read()).isEqualTo("mine..");
  }

  @Test
  void aDirectoryThatIsNoStoreOfTheReaderIsNotRead() throws IOException {
    assertThat(says(root.resolve("home").toString(), "rank.0/key")).isFalse();
    layouts = new KnownLayouts(reader::neighbour);
    Path planted = Files.createDirectories(root.resolve("home/u/scr.7/n2/scr.dataset.7/rank.0"));
    Files.writeString(planted.resolve("key"), SECRET);
    assertThat(says(root.resolve("home").toString(), "rank.0/key")).isFalse();
    for (String none : List.of("", "relative", base + "/../home", base + "/", "\0")) {
      layouts = new KnownLayouts(reader::neighbour);
      assertThat(says(none, "rank.0/key")).as(none).isFalse();
    }
  }

  @Test
  void aNodeWithoutDirectoriesThereIsNotRead() throws IOException {
    layouts.store("n3", base.toString());
    assertThat(layouts.directory(ID, "n3")).isEmpty();
    layouts.store("n2", base.toString());
    assertThat(layouts.directory(ID, "n2")).isPresent();
  }

  @Test
  void aNameThatLeadsOutOfTheDatasetIsRefused() throws IOException {
    neighbour.createDirectory(ID, 0);
    for (String name : List.of("../../../../../home/rank.0/key", outside.resolve("key").toString())) {
      assertThat(says(base.toString(), name)).isTrue();
      isRefused("leads out of");
    }
  }

  @Test
  void noLevelMayBeALink() throws IOException {
    Path cache = neighbour.directories().cache();
    Files.createSymbolicLink(neighbour.createDirectory(ID, 0).resolve("key"), outside.resolve("key"));
    assertThat(says(base.toString(), "rank.0/key")).isTrue();
    isRefused("link");
    Files.delete(neighbour.directory(ID, 0).resolve("key"));
    Files.delete(neighbour.directory(ID, 0));
    Files.createSymbolicLink(neighbour.directory(ID, 0), outside);
    isRefused("link");
    Files.delete(neighbour.directory(ID, 0));
    Files.delete(neighbour.directory(ID));
    Files.createSymbolicLink(neighbour.directory(ID), root.resolve("home"));
    isRefused("link");
    Files.move(cache, root.resolve("moved"));
    Files.createSymbolicLink(cache, root.resolve("moved"));
    layouts = new KnownLayouts(reader::neighbour);
    assertThat(says(base.toString(), "rank.0/key")).as("a node's directory that is a link").isFalse();
  }

  @Test
  void whatIsNoFileIsNotOpened() throws Exception {
    Path fifo = neighbour.createDirectory(ID, 0).resolve("key");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    assertThat(says(base.toString(), "rank.0/key")).isTrue();
    isRefused("FIFO");
  }

  @Test
  void directoriesThatOthersMayReadOrThatAreAnothersAreNotRead() throws IOException {
    Files.writeString(neighbour.createDirectory(ID, 0).resolve("key"), SECRET);
    Path cache = neighbour.directories().cache();
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(says(base.toString(), "rank.0/key")).isFalse();
    assertThat(Files.getPosixFilePermissions(cache)).as("nothing is changed").hasSize(7);
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "not root: no directory can be given to another user");
    Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(cache, "unix:uid", ANOTHER_USER);
    layouts = new KnownLayouts(reader::neighbour);
    assertThat(says(base.toString(), "rank.0/key")).isFalse();
  }
}
