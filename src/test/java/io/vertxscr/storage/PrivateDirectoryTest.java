package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: control and cache directories are closed to other local users, to read, write or redirect. */
class PrivateDirectoryTest {
  private static final int ANOTHER_USER = 54_321;

  @TempDir
  private Path root;
  private Path base;
  private NodeDirectories directories;

  @BeforeEach
  void choose() throws IOException {
    mode(root, "rwxr-xr-x");                              // JUnit makes it for this user alone
    base = Files.createDirectory(root.resolve("base"));
    mode(base, "rwxr-xr-x");
    Path below = Path.of("u", "scr.7", "n1");
    directories = new NodeDirectories(base, below, base.resolve("control").resolve(below));
  }

  private static void mode(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** Gives a path to another user, which only root can. */
  private static void give(Path path) throws IOException {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "not root: no file can be given to another user");
    Files.setAttribute(path, "unix:uid", ANOTHER_USER);
  }

  private void refused(Path level, String... why) {
    assertThatThrownBy(() -> DatasetStore.open(directories)).isInstanceOfSatisfying(ScrException.class, refused -> {
      assertThat(refused.fault()).isEqualTo(Fault.BAD_CONFIGURATION);
      assertThat(refused.getMessage()).startsWith(level + " ").contains(why).doesNotContain("\n");
    });
  }

  @Test
  void allLevelsBelowTheBaseAreForTheirOwnerAlone() throws IOException {
    DatasetStore store = DatasetStore.open(directories);
    store.createDirectory(1, 0);
    for (Path level : List.of(base.resolve("u"), base.resolve("u/scr.7"), directories.cache(), directories.control(),
        base.resolve("control/u"), directories.cache().resolve(".trash"), directories.cache().resolve(".recycled"))) {
      assertThat(mode(level)).as(level.toString()).isEqualTo("rwx------");
    }
    assertThat(mode(base)).as("the site's own").isEqualTo("rwxr-xr-x");
  }

  @Test
  void aLevelOfAnEarlierReleaseIsClosedToOthers() throws IOException {
    Files.createDirectories(directories.cache());
    mode(base.resolve("u"), "rwxr-xr-x");
    DatasetStore.open(directories);
    assertThat(mode(base.resolve("u"))).isEqualTo("rwx------");
  }

  @Test
  void aLevelOfAnotherUserIsRefusedAndNothingInItIsTouched() throws IOException {
    Path planted = Files.createDirectories(directories.cache());
    mode(planted, "rwxrwxrwx");
    give(planted);
    refused(planted, "belongs to user " + ANOTHER_USER, "mode rwxrwxrwx");
    assertThat(planted).isEmptyDirectory();
  }

  @Test
  void aLevelThatOthersCanWriteToIsRefused() throws IOException {
    Path open = Files.createDirectories(base.resolve("u"));
    mode(open, "rwxr-xrwx");
    refused(open, "other users can write to it", "mode rwxr-xrwx");
  }

  @Test
  void aBaseThatOthersCanWriteToNeedsAStickyBit() throws IOException {
    mode(base, "rwxrwxrwx");
    refused(base, "other users can write to it");
    Files.setAttribute(base, "unix:mode", 0_1777);
    DatasetStore.open(directories);
    mode(base, "rwxr-xr-x");
    give(base);
    refused(base, "belongs to user " + ANOTHER_USER);
  }

  /** The emptyDir of a pod is root's, with mode 0777; the directory that it is mounted in can be the user's. */
  @Test
  void aBaseThatOthersCanWriteToIsSafeWhereNobodyElseCanReachIt() throws IOException {
    Path open = Files.createDirectory(base.resolve("node"));
    mode(open, "rwxrwxrwx");
    directories = new NodeDirectories(open, Path.of("u"), open.resolve("u"));
    for (String reachable : List.of("rwxr-xr-x", "rwx--x---", "rwx-----x")) {
      mode(base, reachable);
      refused(open, "other users can write to it");
    }
    mode(base, "rwx------");
    DatasetStore.open(directories);
    assertThat(mode(open)).as("the site's own").isEqualTo("rwxrwxrwx");
    assertThat(mode(open.resolve("u"))).isEqualTo("rwx------");
    give(base);
    refused(base, "belongs to user " + ANOTHER_USER);
  }

  @Test
  void whatIsBelowAClosedDirectoryIsNotSafeBecauseOfItWhereALinkLeadsElsewhere() throws IOException {
    Path open = Files.createDirectory(root.resolve("open"));
    mode(open, "rwxrwxrwx");
    mode(base, "rwx------");
    for (Path target : List.of(open, Path.of("../open"))) {
      Path link = Files.createSymbolicLink(base.resolve("link"), target);
      directories = new NodeDirectories(link, Path.of("u"), link.resolve("u"));
      refused(open, "other users can write to it");
      Files.delete(link);
    }
  }

  @Test
  void ownLevelsAreForTheirOwnerAloneAlsoWhereNobodyElseCanReachThem() throws IOException {
    mode(base, "rwx------");
    Path own = Files.createDirectory(base.resolve("u"));
    mode(own, "rwxrwxrwx");
    refused(own, "other users can write to it");
  }

  @Test
  void aLinkBelowTheBaseIsRefusedWhereverItLeads() throws IOException {
    Path precious = Files.createDirectory(root.resolve("precious"));
    Files.createSymbolicLink(base.resolve("u"), precious);
    refused(base.resolve("u"), "is a link");
    assertThat(precious).isEmptyDirectory();
  }

  @Test
  void aLinkToTheBaseIsFollowedIfNobodyElseCouldHaveMadeIt() throws IOException {
    Path link = Files.createSymbolicLink(root.resolve("scratch"), Path.of("base"));
    directories = new NodeDirectories(link, Path.of("u"), link.resolve("u"));
    DatasetStore.open(directories);
    assertThat(base.resolve("u/.trash")).isDirectory();
    Files.setAttribute(root, "unix:mode", 0_1777);
    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("base"));
    giveLink(link);
    refused(link, "is a link of user " + ANOTHER_USER);
  }

  private static void giveLink(Path link) throws IOException {
    Assumptions.assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "not root: no link can be given to another user");
    Files.setAttribute(link, "unix:uid", ANOTHER_USER, LinkOption.NOFOLLOW_LINKS);
  }

  @Test
  void aLinkInPlaceOfABinIsRefusedAndWhatItLeadsToIsKept() throws IOException {
    Path precious = Files.createDirectory(root.resolve("precious"));
    Path thesis = Files.writeString(precious.resolve("thesis"), "years");
    directories.create();
    for (String bin : List.of(".trash", ".recycled")) {
      Files.deleteIfExists(directories.cache().resolve(bin));
      Path planted = Files.createSymbolicLink(directories.cache().resolve(bin), precious);
      refused(planted, "is a link");
      assertThat(thesis).hasContent("years");
      Files.delete(planted);
    }
    DatasetStore store = DatasetStore.open(directories);
    Files.delete(directories.cache().resolve(".trash"));
    Files.createSymbolicLink(directories.cache().resolve(".trash"), precious);
    store.emptyTrash();
    assertThat(thesis).as("planted later").hasContent("years");
  }

  @Test
  void aLinkInPlaceOfTheLockOrADraftIsNotWrittenThrough() throws IOException {
    Path victim = Files.writeString(root.resolve("victim"), "years");
    directories.create();
    Files.createSymbolicLink(directories.lock(), victim);
    assertThatThrownBy(() -> NodeLock.take(directories, LocalFiles.ofThisMachine()))
        .isInstanceOf(ScrException.class).hasMessageContaining("node.lock");
    Files.createDirectories(directories.cache().resolve("scr.dataset.1"));
    Files.createSymbolicLink(directories.cache().resolve("scr.dataset.1/.scr"), root);
    DatasetStore store = DatasetStore.open(directories);
    Files.createDirectories(directories.cache().resolve("scr.dataset.1"));
    Files.createSymbolicLink(directories.cache().resolve("scr.dataset.1/.scr"), root);
    assertThatThrownBy(() -> store.createGeneration(1)).isInstanceOf(ScrException.class);
    assertThat(victim).hasContent("years");
    assertThat(root.resolve("g1")).doesNotExist();
  }

  @Test
  void whatIsWrittenBesideTheApplicationsFilesIsForItsOwnerAlone() throws IOException {
    directories.create();
    try (NodeLock _ = NodeLock.take(directories, LocalFiles.ofThisMachine())) {
      assertThat(mode(directories.lock())).isEqualTo("rw-------");
    }
    Path made = directories.cache().resolve("file");
    try (var channel = OwnFile.write(made)) {
      channel.write(ByteBuffer.allocate(1));
    }
    assertThat(mode(made)).isEqualTo("rw-------");
  }

  @Test
  void aRecycledFileOfAnEarlierReleaseIsClosedToOthers() throws IOException {
    Path cache = directories.create().cache();
    mode(Files.writeString(Files.createDirectory(cache.resolve(".recycled")).resolve("x.xor.1.0"), "old"), "rw-r--r--");
    assertThat(new Bins(cache).take(cache.resolve("new.xor"))).isTrue();
    assertThat(mode(cache.resolve("new.xor"))).isEqualTo("rw-------");
  }

  @Test
  void itWorksInAnyFileSystem() throws IOException {
    try (FileSystem memory = Jimfs.newFileSystem(Configuration.unix().toBuilder()
        .setAttributeViews("basic", "owner", "posix", "unix").build())) {
      var there = new NodeDirectories(memory.getPath("/c"), memory.getPath("u"), memory.getPath("/c/u"));
      DatasetStore.open(there);
      assertThat(Files.getPosixFilePermissions(there.cache())).isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(Set.copyOf(Files.list(there.cache()).map(Path::toString).toList()))
          .containsExactlyInAnyOrder("/c/u/.trash", "/c/u/.recycled");
    }
  }
}
