package io.vertxscr.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.launch.ResourceManager.Source;
import io.vertxscr.model.ScrException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Goal: nodes and down nodes of an allocation, from environments and answers of each manager. */
class ResourceManagersTest {
  private static final Map<String, String> SLURM = Map.of("SLURM_JOB_ID", "1145655", "SLURM_JOBID", "1145655",
      "SLURM_JOB_NODELIST", "rzg[12-13,20],rzh4", "SLURM_NODELIST", "rzg[12-13,20],rzh4", "SLURM_JOB_NUM_NODES", "4",
      "SLURM_JOB_CPUS_PER_NODE", "36(x3),72", "SLURM_TASKS_PER_NODE", "36(x3),72");
  private static final Map<String, String> FLUX = Map.of("FLUX_URI", "local:///tmp/flux-ab/local-0",
      "FLUX_JOB_ID", "f2dZ");
  private static final Map<String, String> LSF = Map.of("LSB_JOBID", "901", "LSB_DJOB_HOSTFILE", "/tmp/.lsbatch/hosts",
      "LSB_MCPU_HOSTS", "h1 2 h2 2");
  private static final Map<String, String> PBS = Map.of("PBS_JOBID", "77.server", "PBS_NODEFILE",
      "/var/spool/pbs/aux/77.server");

  private static ResourceManager find(Map<String, String> environment) {
    return ResourceManagers.find(environment, "", OptionalInt.empty());
  }

  private static List<Node> nodes(ResourceManager manager) {
    return manager.nodes(((Source.Text) manager.nodeSource()).text());
  }

  @Test
  void slurmNamesItsNodesInTheEnvironment() {
    ResourceManager slurm = find(SLURM);
    assertThat(slurm.name()).isEqualTo("Slurm");
    assertThat(nodes(slurm)).containsExactly(
        new Node("rzg12", 36), new Node("rzg13", 36), new Node("rzg20", 36), new Node("rzh4", 72));
    assertThat(slurm.remote().orElseThrow().words()).startsWith("srun ").contains("--nodelist={host}", "--overlap");
    assertThat(slurm.target(2, "rzg20")).isEqualTo("rzg20");
  }

  @Test
  void slurmsCountsAreOnlyTakenWhereTheyFit() {
    for (String counts : List.of("", "36", "36(x5)", "36(x3),", "many")) {
      Map<String, String> odd = new HashMap<>(SLURM);
      odd.put("SLURM_JOB_CPUS_PER_NODE", counts);
      assertThat(nodes(find(odd))).as(counts).extracting(Node::slots).containsOnly(0);
    }
  }

  @Test
  void slurmIsAskedForNodesThatAreDown() {
    ResourceManager slurm = find(SLURM);
    List<String> nodes = List.of("rzg12", "rzg13", "rzg20", "rzh4");
    assertThat(slurm.downQuestion(nodes).orElseThrow())
        .containsExactly("sinfo", "-h", "-o", "%N", "-t", "down", "-n", "rzg12,rzg13,rzg20,rzh4");
    assertThat(slurm.down("rzg[13,20]\n", nodes)).containsExactly("rzg13", "rzg20");
    assertThat(slurm.down("rzg13\nother7\n\n", nodes)).containsExactly("rzg13");
    assertThat(slurm.down("", nodes)).isEmpty();
  }

  @Test
  void slurmWithoutANodeListSaysWhatToDo() {
    assertThatThrownBy(() -> find(Map.of("SLURM_JOB_ID", "1")).nodeSource())
        .isInstanceOf(ScrException.class).hasMessageContaining("SLURM_JOB_NODELIST is not");
  }

  @Test
  void fluxIsAskedForItsNodesAlsoInAnAllocationOfSlurm() {
    Map<String, String> both = new HashMap<>(SLURM);
    both.putAll(FLUX);
    ResourceManager flux = find(both);
    assertThat(flux.name()).isEqualTo("Flux");
    assertThat(flux.nodeSource()).isEqualTo(new Source.Output(List.of("flux", "getattr", "hostlist")));
    assertThat(flux.nodes("corona[171,173-174]\n")).extracting(Node::name)
        .containsExactly("corona171", "corona173", "corona174");
    assertThat(flux.target(2, "corona174")).as("its rank").isEqualTo("2");
    assertThat(flux.down("corona[173,999]\n", List.of("corona171", "corona173"))).containsExactly("corona173");
  }

  @Test
  void lsfHasALineForEachSlot() {
    ResourceManager lsf = find(LSF);
    assertThat(lsf.nodeSource()).isEqualTo(new Source.Content(Path.of("/tmp/.lsbatch/hosts")));
    assertThat(lsf.nodes("h1\nh1\nh2\nh2\n")).containsExactly(new Node("h1", 2), new Node("h2", 2));
    assertThat(lsf.downQuestion(List.of("h1"))).isEmpty();
  }

  @Test
  void lsfOnMachinesWithALaunchNodeLeavesThatOut() {
    Map<String, String> csm = new HashMap<>(LSF);
    csm.put("CSM_ALLOCATION_ID", "5");
    assertThat(find(csm).nodes("batch1\nh1\nh1\nh2\nh2\n")).extracting(Node::name).containsExactly("h1", "h2");
  }

  @Test
  void lsfWithoutAFileHasHostsWithCounts() {
    assertThat(nodes(find(Map.of("LSB_JOBID", "1", "LSB_MCPU_HOSTS", "h1 2 h2 16 "))))
        .containsExactly(new Node("h1", 2), new Node("h2", 16));
    assertThatThrownBy(() -> find(Map.of("LSB_JOBID", "1", "LSB_MCPU_HOSTS", "h1 h2")).nodeSource())
        .hasMessageContaining("'h2' is no number of slots");
    assertThatThrownBy(() -> find(Map.of("LSB_JOBID", "1")).nodeSource()).hasMessageContaining("LSB_DJOB_HOSTFILE");
  }

  @Test
  void pbsHasALineForEachSlotAndNamesWithAndWithoutDomain() {
    ResourceManager pbs = find(PBS);
    List<Node> nodes = pbs.nodes("n1.site.org\nn1.site.org\nn2.site.org\n");
    assertThat(nodes).containsExactly(new Node("n1.site.org", 2), new Node("n2.site.org", 1));
    String answer = """
        n1                   state-unknown,down
        n2                   offline
        n3                   down
        """;
    assertThat(pbs.down(answer, List.of("n1.site.org", "n2.site.org"))).containsExactly("n1.site.org");
    assertThat(pbs.remote().orElseThrow().words()).startsWith("ssh ").endsWith(" -- {host}");
    assertThatThrownBy(() -> find(Map.of("PBS_JOBID", "1")).nodeSource()).hasMessageContaining("PBS_NODEFILE");
  }

  @Test
  void whatTheUserSaysComesFirst() {
    assertThat(nodes(ResourceManagers.find(SLURM, "a[1-2],b", OptionalInt.empty()))).extracting(Node::name)
        .containsExactly("a1", "a2", "b");
    ResourceManager local = ResourceManagers.find(SLURM, "", OptionalInt.of(3));
    assertThat(nodes(local)).extracting(Node::name).containsExactly("node1", "node2", "node3");
    assertThat(local.remote()).isEmpty();
    assertThat(nodes(find(Map.of()))).hasSize(1);
  }

  @Test
  void aHostThatCannotNameANodeIsRefused() {
    assertThatThrownBy(() -> nodes(ResourceManagers.find(Map.of(), "-oProxyCommand=x", OptionalInt.empty())))
        .isInstanceOf(ScrException.class).hasMessageContaining("cannot name a node");
  }
}
