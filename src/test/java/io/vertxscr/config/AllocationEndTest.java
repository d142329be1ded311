package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Goal: the end of the allocation is known under each batch system. Method: what they say, as recorded. */
class AllocationEndTest {
  private static final long NOW = 1_795_176_000;
  private static final ZoneId UTC = ZoneId.of("UTC");

  private static OptionalLong answered(Map<String, String> environment, String answer) {
    return AllocationEnd.answer(AllocationEnd.question(environment).orElseThrow(), answer, NOW, UTC);
  }

  @Test
  void theEnvironmentSaysItAndOurOwnVariableComesFirst() {
    Map<String, String> slurm =
        Map.of("SLURM_JOB_ID", "4711", "SLURM_JOB_START_TIME", "1795170000", "SLURM_JOB_END_TIME", "1795180000");
    assertThat(AllocationEnd.of(slurm)).hasValue(1_795_180_000);
    assertThat(AllocationEnd.of(Map.of("SCR_END_TIME", "1795179000", "SLURM_JOB_END_TIME", "1795180000")))
        .hasValue(1_795_179_000);
    assertThat(AllocationEnd.of(Map.of())).isEmpty();
    assertThat(AllocationEnd.of(Map.of("SLURM_JOB_END_TIME", "Unknown"))).isEmpty();
    assertThat(AllocationEnd.of(Map.of("SLURM_JOB_END_TIME", "0"))).isEmpty();
  }

  @Test
  void slurmIsAskedForTheTimeThatIsLeft() {
    Map<String, String> slurm = Map.of("SLURM_JOB_ID", "4711");
    assertThat(AllocationEnd.question(slurm)).contains(List.of("squeue", "-h", "-j", "4711", "-o", "%L"));
    assertThat(answered(slurm, "5:07\n")).hasValue(NOW + 307);
    assertThat(answered(slurm, "2:05:07\n")).hasValue(NOW + 7507);
    assertThat(answered(slurm, "1-02:05:07\n")).hasValue(NOW + 86_400 + 7507);
    assertThat(answered(slurm, "UNLIMITED\n")).isEmpty();
    assertThat(answered(slurm, "NOT_SET")).isEmpty();
    assertThat(answered(slurm, "")).isEmpty();
  }

  @Test
  void fluxIsAskedForTheTimeThatIsLeft() {
    Map<String, String> flux = Map.of("FLUX_URI", "local:///run/flux/local", "FLUX_JOB_ID", "f2SmwDLWmj");
    assertThat(answered(flux, "3599\n")).hasValue(NOW + 3599);
    assertThat(answered(flux, "12.7")).hasValue(NOW + 12);
    assertThat(answered(flux, "infinity")).isEmpty();
  }

  @Test
  void pbsSaysWhenTheJobBeganAndHowLongItMayLast() {
    Map<String, String> pbs = Map.of("PBS_JOBID", "439.server");
    String answer = """
        Job Id: 439.server
            Job_Name = heat
            Resource_List.ncpus = 4
            Resource_List.walltime = 01:00:00
            stime = Fri Nov 20 11:58:50 2026
        """;
    assertThat(answered(pbs, answer)).hasValue(1_795_175_930 + 3600);
    assertThat(answered(pbs, answer.replace("Nov 20", "Nov  2"))).hasValue(1_795_175_930 - 18 * 86_400 + 3600);
    assertThat(answered(pbs, answer.replace("stime", "etime"))).isEmpty();
    assertThat(answered(pbs, answer.replace("walltime", "mem"))).isEmpty();
  }

  @Test
  void lsfIsAskedForTheTimeThatIsLeft() {
    Map<String, String> lsf = Map.of("LSB_JOBID", "77");
    assertThat(answered(lsf, "1:30 L\n")).hasValue(NOW + 5400);
    assertThat(answered(lsf, "0:07 E\n")).hasValue(NOW + 420);
    assertThat(answered(lsf, "-\n")).isEmpty();
  }

  @Test
  void outsideOfABatchSystemNobodyIsAsked() {
    assertThat(AllocationEnd.question(Map.of("HOME", "/root"))).isEmpty();
  }
}
