package io.vertxscr.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.vertxscr.cli.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the manifests are what the API of Kubernetes takes, and their pods have no needless right. Ports, names and
 * options in them fit each other and the program.
 */
class ManifestsTest {
  private static List<Integer> fixedPorts(Container daemon) {
    return Stream.of("--port", "--bus-port", "--peer-port").map(Manifest.options(daemon)::get).map(Integer::valueOf)
        .toList();
  }

  @Test
  void thereAreTestsOfAllManifests() throws IOException {
    try (Stream<Path> files = Files.list(Manifest.DIRECTORY)) {
      assertThat(files).extracting(file -> file.getFileName().toString())
          .containsExactlyInAnyOrderElementsOf(Arrays.stream(Manifest.values()).map(Manifest::file).toList());
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyDocumentIsOneOfTheApi(Manifest sample) throws IOException {
    assertThat(sample.read()).extracting(HasMetadata::getKind).startsWith("Namespace", "Service", "NetworkPolicy");
    String namespace = sample.read(Namespace.class).getFirst().getMetadata().getName();
    assertThat(sample.read()).filteredOn(document -> !(document instanceof Namespace))
        .extracting(document -> document.getMetadata().getNamespace()).containsOnly(namespace);
  }

  @ParameterizedTest
  @ValueSource(strings = {"metadata/lables", "spec/template/spec/securityContxt",
      "spec/template/spec/containers/0/readinesProbe", "spec/template/spec/volumes/0/hostpath"})
  void aFieldThatTheApiDoesNotHaveIsFound(String field) throws IOException {
    JsonNode document = Manifest.documents(Files.readString(Manifest.DIRECTORY.resolve("scr.yaml"))).stream()
        .filter(one -> one.path("kind").asText().equals("DaemonSet")).findFirst().orElseThrow();
    int last = field.lastIndexOf('/');
    ((ObjectNode) document.at("/" + field.substring(0, last))).put(field.substring(last + 1), "x");
    assertThatThrownBy(() -> Manifest.strictly(document)).isInstanceOf(UnrecognizedPropertyException.class);
  }

  @ParameterizedTest
  @EnumSource
  void noPodHasARightThatItDoesNotNeed(Manifest sample) throws IOException {
    List<String> exceptions = sample == Manifest.SCR ? List.of("volume scr of kind [hostPath]") : List.of();
    for (PodTemplateSpec pod : sample.pods()) {
      assertThat(PodSecurity.breaches(pod.getSpec())).containsExactlyElementsOf(exceptions);
    }
    assertThat(sample.read(Namespace.class).getFirst().getMetadata().getLabels())
        .containsEntry("pod-security.kubernetes.io/enforce", exceptions.isEmpty() ? "restricted" : "privileged");
  }

  /** Each rule that the test above goes by finds its breach: without that it would accept anything. */
  @Test
  void everyBreachIsFound() throws IOException {
    Map<Consumer<PodTemplateSpec>, String> breaches = new LinkedHashMap<>();
    breaches.put(pod -> pod.getSpec().setHostNetwork(true), "hostNetwork");
    breaches.put(pod -> pod.getSpec().setHostPID(true), "hostPID");
    breaches.put(pod -> pod.getSpec().setHostIPC(true), "hostIPC");
    breaches.put(pod -> pod.getSpec().setAutomountServiceAccountToken(null), "ours: automountServiceAccountToken");
    breaches.put(pod -> pod.getSpec().getSecurityContext().setRunAsNonRoot(null), "daemon: runAsNonRoot");
    breaches.put(pod -> pod.getSpec().getSecurityContext().setRunAsUser(0L), "daemon: runAsUser");
    breaches.put(pod -> pod.getSpec().getSecurityContext().setRunAsGroup(0L), "ours: daemon: runAsGroup");
    breaches.put(pod -> pod.getSpec().getSecurityContext().setSeccompProfile(null), "daemon: seccompProfile");
    breaches.put(pod -> pod.getSpec().getSecurityContext().setSupplementalGroups(List.of(0L)),
        "ours: supplementalGroups");
    breaches.put(pod -> first(pod).setSecurityContext(null), "daemon: allowPrivilegeEscalation");
    breaches.put(pod -> first(pod).getSecurityContext().setPrivileged(true), "daemon: privileged");
    breaches.put(pod -> first(pod).getSecurityContext().setReadOnlyRootFilesystem(false),
        "ours: daemon: readOnlyRootFilesystem");
    breaches.put(pod -> first(pod).getSecurityContext().getCapabilities().setDrop(List.of()),
        "daemon: capabilities.drop");
    breaches.put(pod -> first(pod).getSecurityContext().getCapabilities().setAdd(List.of("SYS_ADMIN")),
        "daemon: capabilities.add");
    breaches.put(pod -> first(pod).setImage("registry.example.org/vertx-scr:0.1.0"),
        "ours: daemon: image without a digest");
    breaches.put(pod -> first(pod).getResources().getLimits().clear(), "ours: daemon: resources");
    breaches.put(pod -> first(pod).getPorts().getFirst().setHostPort(5701), "daemon: hostPort");
    for (Map.Entry<Consumer<PodTemplateSpec>, String> breach : breaches.entrySet()) {
      PodTemplateSpec pod = Manifest.SIDECAR.daemons();
      breach.getKey().accept(pod);
      assertThat(PodSecurity.breaches(pod.getSpec())).contains(breach.getValue());
    }
  }

  private static Container first(PodTemplateSpec pod) {
    return pod.getSpec().getInitContainers().getFirst();
  }

  @ParameterizedTest
  @EnumSource
  void theDaemonHasItsOptionsAndEveryPortIsFixed(Manifest sample) throws IOException {
    Container daemon = sample.daemon();
    assertThat(daemon.getCommand()).containsExactly("/opt/vertx-scr/bin/scr", "node");
    String help = CliRun.of(Map.of(), "node", "--help").out();
    Map<String, String> options = Manifest.options(daemon);
    assertThat(options.keySet()).allSatisfy(option -> assertThat(help).contains(option));
    List<Integer> ports = new ArrayList<>(fixedPorts(daemon));
    ports.add(Integer.valueOf(options.get("--http-port")));
    assertThat(ports).doesNotHaveDuplicates().allMatch(port -> port > 0)
        .isEqualTo(daemon.getPorts().stream().map(ContainerPort::getContainerPort).toList());
    assertThat(daemon.getEnv()).extracting(variable -> "$(" + variable.getName() + ")")
        .contains(options.get("--host")).contains(options.get("--http-host"));
    for (Probe probe : List.of(daemon.getStartupProbe(), daemon.getReadinessProbe())) {
      assertThat(probe.getHttpGet().getPath()).isIn("/health/live", "/health/ready");
      assertThat(daemon.getPorts()).extracting(ContainerPort::getName)
          .contains(probe.getHttpGet().getPort().getStrVal());
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyDaemonsReachThePortsOfDaemonsAndOnlyPrometheusThatOfOperators(Manifest sample) throws IOException {
    NetworkPolicy policy = sample.read(NetworkPolicy.class).getFirst();
    Map<String, String> labels = sample.daemons().getMetadata().getLabels();
    assertThat(policy.getSpec().getPodSelector().getMatchLabels()).isEqualTo(labels);
    assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
    var ingress = policy.getSpec().getIngress();
    assertThat(ingress).hasSize(2).allSatisfy(rule -> assertThat(rule.getFrom()).hasSize(1));
    assertThat(ingress.getFirst().getFrom().getFirst().getPodSelector().getMatchLabels()).isEqualTo(labels);
    assertThat(ports(ingress.getFirst().getPorts())).isEqualTo(fixedPorts(sample.daemon()));
    assertThat(ingress.getLast().getFrom().getFirst().getNamespaceSelector().getMatchLabels()).isNotEmpty();
    assertThat(ports(ingress.getLast().getPorts()))
        .containsExactly(Integer.valueOf(Manifest.options(sample.daemon()).get("--http-port")));
    var egress = policy.getSpec().getEgress();
    assertThat(egress).hasSize(2).allSatisfy(rule -> assertThat(rule.getTo()).hasSize(1));
    assertThat(egress.getFirst().getTo().getFirst().getPodSelector().getMatchLabels()).isEqualTo(labels);
    assertThat(ports(egress.getFirst().getPorts())).isEqualTo(fixedPorts(sample.daemon()));
    assertThat(ports(egress.getLast().getPorts())).as("the name service").containsOnly(53);
  }

  private static List<Integer> ports(List<NetworkPolicyPort> ports) {
    return ports.stream().map(port -> port.getPort().getIntVal()).toList();
  }

  @ParameterizedTest
  @EnumSource
  void namesAndVolumesFitEachOther(Manifest sample) throws IOException {
    Service service = sample.read(Service.class).getFirst();
    PodTemplateSpec daemons = sample.daemons();
    Map<String, String> options = Manifest.options(sample.daemon());
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getSelector()).isEqualTo(daemons.getMetadata().getLabels());
    assertThat(options.get("--kubernetes-service")).isEqualTo(service.getMetadata().getName() + "."
        + service.getMetadata().getNamespace() + ".svc.cluster.local");
    assertThat(service.getSpec().getPorts()).singleElement()
        .satisfies(port -> assertThat(port.getPort()).isEqualTo(Integer.valueOf(options.get("--port"))));
    for (DaemonSet set : sample.read(DaemonSet.class)) {
      assertThat(set.getSpec().getSelector().getMatchLabels())
          .isEqualTo(set.getSpec().getTemplate().getMetadata().getLabels());
    }
    for (PodTemplateSpec pod : sample.pods()) {
      Set<String> mounted = PodSecurity.containers(pod.getSpec()).flatMap(one -> one.getVolumeMounts().stream())
          .map(VolumeMount::getName).collect(Collectors.toCollection(TreeSet::new));
      assertThat(pod.getSpec().getVolumes()).extracting(Volume::getName).containsExactlyInAnyOrderElementsOf(mounted);
      assertThat(pod.getSpec().getSecurityContext().getRunAsUser()).as("ranks are the daemon's user")
          .isEqualTo(daemons.getSpec().getSecurityContext().getRunAsUser());
    }
  }

  /** What SecretFile takes: of root, readable for the group that is the daemon's user alone. */
  @ParameterizedTest
  @EnumSource
  void theSecretIsReadableForTheDaemonAlone(Manifest sample) throws IOException {
    var pod = sample.daemons().getSpec();
    Volume secret = pod.getVolumes().stream().filter(volume -> volume.getName().equals("secret")).findFirst()
        .orElseThrow();
    assertThat(secret.getSecret().getDefaultMode()).isEqualTo(0440);
    assertThat(pod.getSecurityContext().getFsGroup()).isEqualTo(pod.getSecurityContext().getRunAsUser());
    assertThat(PodSecurity.containers(pod).filter(
        container -> container.getVolumeMounts().stream().anyMatch(mount -> mount.getName().equals("secret"))))
        .extracting(Container::getName).containsExactly("daemon");
    assertThat(Manifest.options(sample.daemon())).containsEntry("--secret-file", "/etc/scr/secret")
        .containsEntry("--http-token-file", "/etc/scr/token");
  }
}
