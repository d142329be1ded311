package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.launch.Program.Launcher;
import io.vertxscr.model.ScrException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: every launcher that is known is told, in its own words, which nodes to leave out. */
class ProgramTest {
  private static final String OPEN_MPI = "mpirun (Open MPI) 4.1.4";
  private static final String HYDRA = "HYDRA build details:\n    Version: 4.0.2";
  private static final List<Node> UP = List.of(new Node("n1", 4), new Node("n3"));

  private static List<String> words(String line) {
    return List.of(line.split(" "));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "srun -n 8 ./a              |             | srun --exclude=n2,n4 -n 8 ./a",
      "/usr/bin/srun -N2 ./a      |             | /usr/bin/srun --exclude=n2,n4 -N2 ./a",
      "flux run -N 2 ./a          |             | flux run --requires=-host:n2,n4 -N 2 ./a",
      "jsrun -n 8 ./a             |             | jsrun --exclude_hosts n2,n4 -n 8 ./a",
      "lrun -n 8 ./a              |             | lrun --exclude_hosts n2,n4 -n 8 ./a",
      "mpirun -n 8 ./a            | Open MPI    | mpirun --host n1:4,n3 -x SCR_PREFIX -n 8 ./a",
      "orterun -n 8 ./a           |             | orterun --host n1:4,n3 -x SCR_PREFIX -n 8 ./a",
      "mpiexec -n 8 ./a           | HYDRA build | mpiexec -hosts n1,n3 -n 8 ./a",
      "mpiexec.hydra -n 8 ./a     |             | mpiexec.hydra -hosts n1,n3 -n 8 ./a",
      "mpirun -n 8 ./a            |             | mpirun -n 8 ./a",
      "flux proxy x ./a           |             | flux proxy x ./a",
      "./script.sh srun           |             | ./script.sh srun"})
  void nodesAreLeftOut(String line, String version, String expected) {
    Program program = Program.of(words(line), version == null ? "" : version);
    assertThat(String.join(" ", program.command(UP, List.of("n2", "n4"), false, List.of("SCR_PREFIX"))))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "srun -n 8 ./a    |             | srun -n 8 ./a",
      "flux run ./a     |             | flux run ./a",
      "jsrun ./a        |             | jsrun ./a",
      "mpirun -n 8 ./a  | Open MPI    | mpirun -x SCR_PREFIX -n 8 ./a",
      "mpirun -n 8 ./a  | HYDRA build | mpirun -n 8 ./a"})
  void withAllNodesUpTheCommandIsThatOfTheUser(String line, String version, String expected) {
    Program program = Program.of(words(line), version == null ? "" : version);
    assertThat(String.join(" ", program.command(UP, List.of(), false, List.of("SCR_PREFIX")))).isEqualTo(expected);
  }

  @Test
  void aLauncherThatKnowsNoNodesIsGivenAllOfThem() {
    assertThat(Program.of(words("mpirun -n 2 ./a"), OPEN_MPI).command(UP, List.of(), true, List.of()))
        .containsExactly("mpirun", "--host", "n1:4,n3", "-n", "2", "./a");
    assertThat(Program.of(words("mpirun -n 2 ./a"), HYDRA).command(UP, List.of(), true, List.of()))
        .containsExactly("mpirun", "-hosts", "n1,n3", "-n", "2", "./a");
  }

  @ParameterizedTest
  @CsvSource({"srun -x n1 ./a,SRUN", "srun --exclude=n1 ./a,SRUN", "flux run --requires=gpu ./a,FLUX",
      "jsrun --exclude_hosts n1 ./a,JSRUN", "mpirun --host n1 ./a,OPEN_MPI", "mpirun -H n1 ./a,OPEN_MPI",
      "mpiexec -hosts n1 ./a,HYDRA"})
  void theUsersOwnChoiceOfNodesIsRefusedBecauseItWouldBeHeardInsteadOfOurs(String line, Launcher launcher) {
    assertThatThrownBy(new Program(words(line), launcher)::refuseOwn).isInstanceOf(ScrException.class)
        .hasMessageContaining(" --exclude or --hosts of scr run");
  }

  @Test
  void aProgramIsNeeded() {
    assertThatThrownBy(() -> Program.of(List.of(), "")).hasMessageContaining("a program is missing");
    assertThat(Program.mustBeAsked(List.of())).isFalse();
    assertThat(Program.mustBeAsked(List.of("/opt/mpi/bin/mpiexec"))).isTrue();
    assertThat(Program.mustBeAsked(List.of("srun"))).isFalse();
  }
}
