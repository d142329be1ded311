package io.vertxscr.cli.offline;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertxscr.cli.CliRun;
import io.vertxscr.format.RedundancyHeaderFile;
import io.vertxscr.format.prefix.FlushFile;
import io.vertxscr.format.prefix.FlushStatus;
import io.vertxscr.format.prefix.NodesFile;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.FileMeta;
import io.vertxscr.model.Job;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Goal: every metadata file is printed; damage is reported with its place. */
@Execution(ExecutionMode.CONCURRENT)
class PrintCommandTest {
  @TempDir
  private Path directory;

  @Test
  void aFileIsPrintedAsTheTreeOfTheDocuments() throws IOException {
    Path file = Files.write(directory.resolve("nodes.scr"), NodesFile.encode(4));

    assertThat(print(file)).isEqualTo(new CliRun(0, "NODES\n  4\n", ""));
  }

  @Test
  void keysWithOneValueArePrintedAsPairsOnRequest() throws IOException {
    DatasetDescriptor dataset = new DatasetDescriptor(6, "b.6", DatasetFlags.CHECKPOINT, 6, 1_000_000,
        new Job("u", "", "1", ""), new DatasetDescriptor.Totals(3, 1500));
    Path file = Files.write(directory.resolve("flush.scr"), FlushFile.encode(
        FlushStatus.EMPTY.put(dataset, Set.of(FlushStatus.Location.CACHE, FlushStatus.Location.PFS))));

    CliRun ran = CliRun.of(Map.of(), "print", "--mode", "keyval", file);
    assertThat(ran).returns(0, CliRun::exit).returns("", CliRun::err).extracting(CliRun::out).asString().startsWith("""
          DATASET
            6
              CKPT = 1
              DSETDESC
        """).contains("""
              LOCATION
                CACHE
                PFS
              NAME = b.6
        """);
    assertThat(CliRun.of(Map.of(), "print", "-m", "tree", file)).isEqualTo(print(file));
  }

  @Test
  void ofADirectoryTheListOfItsDirectoriesAndFilesIsPrintedAsInTheDocument() throws IOException {
    assertThat(print(directory)).isEqualTo(new CliRun(0, "", ""));
    for (String name : List.of("file2", "file1")) {
      Files.writeString(directory.resolve(name), "of the application");
    }
    Files.createDirectory(directory.resolve("dir2"));
    Files.createDirectories(directory.resolve("dir1/below"));
    Files.createSymbolicLink(directory.resolve("link"), directory.resolve("dir1"));

    assertThat(print(directory)).isEqualTo(new CliRun(0, """
        DIR
          dir1
          dir2
        FILE
          file1
          file2
          link
        """, ""));
  }

  @Test
  void ofADirectoryTheMetadataFilesArePrintedToo() throws IOException {
    Path nodes = Files.write(directory.resolve("nodes.scr"), NodesFile.encode(4));
    Path named = Files.write(directory.resolve("kept.by.somebody"), NodesFile.encode(5));
    Path empty = Files.createFile(directory.resolve("rank2file.0.0"));
    Files.writeString(directory.resolve("ctr.0.scr"), "data, and more of it than a header has");
    Files.writeString(directory.resolve("log"), "lines");
    String list = "FILE\n  ctr.0.scr\n  kept.by.somebody\n  log\n  nodes.scr\n  rank2file.0.0\n";

    assertThat(print(directory)).isEqualTo(new CliRun(1, "==> " + directory + " <==\n" + list + "==> " + named
        + " <==\nNODES\n  5\n==> " + nodes + " <==\nNODES\n  4\n",
        "scr: " + empty + ": hash file: byte 0: ends here, inside its header of 20 bytes\n"));
    assertThat(new JsonArray(print("--json", directory).out()).stream().map(JsonObject.class::cast)
        .map(one -> one.getString("file"))).containsExactly(directory.toString(), named.toString(), nodes.toString(),
            empty.toString());
  }

  @Test
  void severalFilesAreToldApart() throws IOException {
    Path one = Files.write(directory.resolve("one"), NodesFile.encode(1));
    Path two = Files.write(directory.resolve("two"), NodesFile.encode(2));

    assertThat(print(one, two)).isEqualTo(
        new CliRun(0, "==> " + one + " <==\nNODES\n  1\n==> " + two + " <==\nNODES\n  2\n", ""));
  }

  @Test
  void ofARedundancyFileTheHeaderIsPrintedAndTheSizeOfTheRest() throws IOException {
    Path file = redundancyFile(100);

    CliRun ran = print(file);
    assertThat(ran.out()).startsWith("DSET\n  ID\n    6\n").contains("\nCHUNK\n  100\n")
        .endsWith("\n(100 redundancy bytes follow, from byte " + (Files.size(file) - 100) + ")\n");
    assertThat(ran).returns(0, CliRun::exit).returns("", CliRun::err);
  }

  @Test
  void aRedundancyFileThatEndsEarlyIsDamaged() throws IOException {
    Path file = redundancyFile(99);

    assertThat(print(file)).returns(1, CliRun::exit).returns("scr: " + file + ": hash file: byte " + Files.size(file)
        + ": ends here, with 99 of at least 100 redundancy bytes\n", CliRun::err);
  }

  @Test
  void jsonHasTheSameTreeWithEveryKeyAnObject() throws IOException {
    Path good = Files.write(directory.resolve("nodes.scr"), NodesFile.encode(4));
    Path bad = Files.writeString(directory.resolve("bad"), "nothing of ours, and longer than a header");

    CliRun ran = print("--json", good, redundancyFile(100), bad);
    JsonArray all = new JsonArray(ran.out());
    assertThat(all.getJsonObject(0).encode())
        .isEqualTo("{\"file\":\"" + good + "\",\"hash\":{\"NODES\":{\"4\":{}}}}");
    assertThat(all.getJsonObject(1).getLong("payloadBytes")).isEqualTo(100);
    assertThat(all.getJsonObject(2).getString("error"))
        .contains("byte 0: magic is 0x6e6f7468", "no metadata file of this program");
    assertThat(ran.exit()).isEqualTo(1);
  }

  @Test
  void everyTruncationIsNamedWithTheByteWhereTheFileEnds() throws IOException {
    byte[] whole = NodesFile.encode(4);
    for (int length = 0; length < whole.length; length++) {
      Path file = Files.write(directory.resolve("nodes.scr"), Arrays.copyOf(whole, length));
      assertThat(print(file)).returns(1, CliRun::exit).returns("", CliRun::out).extracting(CliRun::err).asString()
          .startsWith("scr: " + file + ": hash file: byte " + length + ": ends here").hasLineCount(1);
    }
  }

  @Test
  void everyFlippedBitIsNamedWithAByte() throws IOException {
    byte[] whole = NodesFile.encode(4);
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Path file = Files.write(directory.resolve("nodes.scr"), flipped);
      assertThat(print(file)).as("bit " + bit).returns(1, CliRun::exit).extracting(CliRun::err).asString()
          .matches("scr: " + file + ": hash file: byte \\d+: .*\\R");
    }
  }

  @Test
  void aFileThatIsNotThereDoesNotHideTheOthers() throws IOException {
    Path good = Files.write(directory.resolve("nodes.scr"), NodesFile.encode(4));

    CliRun ran = print(directory.resolve("none"), good);
    assertThat(ran.out()).endsWith("NODES\n  4\n");
    assertThat(ran).returns(1, CliRun::exit)
        .returns("scr: " + directory.resolve("none") + ": no such file or directory\n", CliRun::err);
    assertThat(print().exit()).isEqualTo(2);
  }

  private Path redundancyFile(int payloadBytes) throws IOException {
    var descriptor = new DatasetDescriptor(6, "b.6", DatasetFlags.CHECKPOINT, 6, 1, new Job("u", "j", "1", "c"),
        new DatasetDescriptor.Totals(2, 200));
    var files = List.of(new FileMeta("rank.0/a", "out/a", 100, OptionalInt.of(5)));
    byte[] header = RedundancyHeaderFile.encode(new RedundancyHeader(descriptor, 2, new RedundancySet(List.of(0, 1)),
        100, new RankFiles(0, files), List.of(new RankFiles(1, files))));
    return Files.write(directory.resolve("1_of_2_in_0.xor"), Arrays.copyOf(header, header.length + payloadBytes));
  }

  private static CliRun print(Object... arguments) {
    Object[] line = new Object[arguments.length + 1];
    line[0] = "print";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    return CliRun.of(Map.of(), line);
  }
}
