package io.vertxscr.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.launch.Program.Launcher;
import io.vertxscr.launch.ResourceManagers;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a launcher that several projects have is asked whose it is. It may not choose the nodes that we choose. */
class AllocationTest {
  @TempDir
  private Path directory;
  private StubMachine machine;

  @BeforeEach
  void set() throws IOException {
    machine = new StubMachine(directory);
    machine.command("mpirun", "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4'\n");
  }

  private Allocation allocation(String hosts, OptionalInt local) {
    Map<String, String> environment = machine.environment();
    return Allocation.read(ResourceManagers.find(environment, hosts, local), "", environment);
  }

  @Test
  void mpirunIsAskedWhoseItIs() throws IOException {
    Allocation hosts = allocation("n1,n2", OptionalInt.empty());
    assertThat(hosts.program(List.of("mpirun", "./a")).launcher()).isEqualTo(Launcher.OPEN_MPI);
    machine.command("mpirun", "exit 1\n");
    assertThat(hosts.program(List.of("mpirun", "./a")).launcher()).isEqualTo(Launcher.OTHER);
  }

  @Test
  void nodesThatTheUserChoosesAreRefusedUnlessTheNodesAreDaemonsOfThisMachine() {
    List<String> words = List.of("mpirun", "--host", "n1", "./a");
    assertThatThrownBy(() -> allocation("n1,n2", OptionalInt.empty()).program(words))
        .isInstanceOf(ScrException.class).hasMessageContaining("--host");
    assertThat(allocation("", OptionalInt.of(2)).program(words).words()).isEqualTo(words);
  }
}
