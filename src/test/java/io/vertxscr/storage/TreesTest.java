package io.vertxscr.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertxscr.prefix.metadata.Mounts;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that are emptied. */
class TreesTest {
  @TempDir
  Path root;
  private Path bin;

  @BeforeEach
  void someTrash() throws IOException {
    bin = Files.createDirectory(root.resolve("bin"));
    Path deep = Files.createDirectories(bin.resolve("dataset.7/rank.0/a/b"));
    for (int i = 0; i < 300; i++) {
      Files.writeString(deep.resolve("file " + i), "x");
    }
    Files.writeString(bin.resolve("parity"), "x");
    Files.createDirectory(bin.resolve("empty"));
  }

  @Test
  void allIsDeletedButTheDirectoryItself() throws IOException {
    Trees.empty(bin);

    assertThat(bin).isEmptyDirectory();
  }

  @Test
  void linksAreDeletedAndNotFollowed() throws IOException {
    Path kept = Files.createDirectory(root.resolve("kept"));
    Files.writeString(kept.resolve("file"), "x");
    Files.createSymbolicLink(bin.resolve("to directory"), kept);
    Files.createSymbolicLink(bin.resolve("dataset.7/rank.0/to file"), kept.resolve("file"));
    Files.createSymbolicLink(bin.resolve("to nothing"), root.resolve("nothing"));

    Trees.empty(bin);

    assertThat(bin).isEmptyDirectory();
    assertThat(kept.resolve("file")).hasContent("x");
  }

  @Test
  void aDirectoryThatIsNotThereIsEmpty() throws IOException {
    Trees.empty(root.resolve("none"));

    assertThat(root.resolve("none")).doesNotExist();
  }

  @Test
  void whatIsNoDirectoryIsLeft() throws IOException {
    Path link = Files.createSymbolicLink(root.resolve("link"), bin);

    Trees.empty(bin.resolve("parity"));
    Trees.empty(link);

    assertThat(bin.resolve("parity")).hasContent("x");
  }

  @Test
  void whatCannotBeDeletedIsToldAndKeepsNothingElse() throws Exception {
    Path mounted = Files.createDirectory(bin.resolve("dataset.7/rank.0/a/mounted"));
    assumeTrue(Mounts.mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", mounted.toString()), "may mount");
    try {
      assertThatThrownBy(() -> Trees.empty(bin)).isInstanceOf(FileSystemException.class)
          .hasMessageContaining("mounted");

      try (var left = Files.walk(bin)) {
        assertThat(left.filter(path -> !mounted.startsWith(path))).isEmpty();
      }
    } finally {
      Mounts.unmount(mounted);
    }
  }

  @Test
  void threadsThatEmptyOneDirectoryDoNotDisturbEachOther() throws Exception {
    try (var both = Executors.newFixedThreadPool(2)) {
      var first = both.submit(() -> {
        Trees.empty(bin);
        return bin;
      });
      Trees.empty(bin);

      assertThat(first.get()).isEmptyDirectory();
    }
  }
}
