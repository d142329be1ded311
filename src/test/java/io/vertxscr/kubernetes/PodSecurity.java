package io.vertxscr.kubernetes;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The Pod Security Standard "restricted" of Kubernetes, and what we ask for beyond. With the standard that it builds
 * on, as the documentation lists the controls for Linux:
 * https://kubernetes.io/docs/concepts/security/pod-security-standards.
 */
final class PodSecurity {
  /** Fields of a volume beside its name. */
  private static final Set<String> VOLUMES = Set.of(
      "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret");
  private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");

  private final List<String> breaches = new ArrayList<>();

  private PodSecurity() {}

  /** What a pod does that the standard forbids; what we ask for beyond begins with "ours: ". */
  static List<String> breaches(PodSpec pod) {
    PodSecurity found = new PodSecurity();
    found.pod(pod);
    containers(pod).forEach(container -> found.container(pod, container));
    return found.breaches;
  }

  static Stream<Container> containers(PodSpec pod) {
    return Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream());
  }

  private void require(boolean kept, String what) {
    if (!kept) {
      breaches.add(what);
    }
  }

  private static boolean isTrue(Boolean flag) {
    return Boolean.TRUE.equals(flag);
  }

  private void pod(PodSpec pod) {
    require(!isTrue(pod.getHostNetwork()), "hostNetwork");
    require(!isTrue(pod.getHostPID()), "hostPID");
    require(!isTrue(pod.getHostIPC()), "hostIPC");
    for (Volume volume : pod.getVolumes()) {
      require(VOLUMES.containsAll(kinds(volume)), "volume " + volume.getName() + " of kind " + kinds(volume));
    }
    PodSecurityContext context = Optional.ofNullable(pod.getSecurityContext()).orElseGet(PodSecurityContext::new);
    require(context.getSysctls().isEmpty(), "sysctls");
    require(context.getSeLinuxOptions() == null, "seLinuxOptions");
    require(context.getAppArmorProfile() == null, "appArmorProfile");
    require(Boolean.FALSE.equals(pod.getAutomountServiceAccountToken()), "ours: automountServiceAccountToken");
    require(context.getSupplementalGroups().isEmpty(), "ours: supplementalGroups");
  }

  /** Which fields of a volume are set. */
  private static Set<String> kinds(Volume volume) {
    Set<String> kinds = new TreeSet<>(Manifest.tree(volume).keySet());
    kinds.remove("name");
    return kinds;
  }

  private void container(PodSpec pod, Container container) {
    SecurityContext own = Optional.ofNullable(container.getSecurityContext()).orElseGet(SecurityContext::new);
    PodSecurityContext shared = Optional.ofNullable(pod.getSecurityContext()).orElseGet(PodSecurityContext::new);
    String name = container.getName() + ": ";
    require(!isTrue(own.getPrivileged()), name + "privileged");
    require(Boolean.FALSE.equals(own.getAllowPrivilegeEscalation()), name + "allowPrivilegeEscalation");
    require(own.getProcMount() == null || own.getProcMount().equals("Default"), name + "procMount");
    require(own.getSeLinuxOptions() == null, name + "seLinuxOptions");
    require(own.getAppArmorProfile() == null, name + "appArmorProfile");
    require(isTrue(either(own, SecurityContext::getRunAsNonRoot, shared.getRunAsNonRoot())), name + "runAsNonRoot");
    Long user = either(own, SecurityContext::getRunAsUser, shared.getRunAsUser());
    require(user == null || user != 0, name + "runAsUser");
    require(PROFILES.contains(Optional.ofNullable(either(own, SecurityContext::getSeccompProfile,
        shared.getSeccompProfile())).map(profile -> profile.getType()).orElse("")), name + "seccompProfile");
    require(own.getCapabilities() != null && own.getCapabilities().getDrop().contains("ALL"),
        name + "capabilities.drop");
    require(own.getCapabilities() == null || Set.of("NET_BIND_SERVICE").containsAll(own.getCapabilities().getAdd()),
        name + "capabilities.add");
    require(container.getPorts().stream().allMatch(port -> port.getHostPort() == null), name + "hostPort");

    require(isTrue(own.getReadOnlyRootFilesystem()), "ours: " + name + "readOnlyRootFilesystem");
    require(user != null, "ours: " + name + "runAsUser");
    require(Objects.equals(user, either(own, SecurityContext::getRunAsGroup, shared.getRunAsGroup())),
        "ours: " + name + "runAsGroup");
    require(own.getCapabilities() == null || own.getCapabilities().getAdd().isEmpty(),
        "ours: " + name + "capabilities.add");
    require(container.getImage().matches("[^@]+@sha256:[0-9a-f]{64}"), "ours: " + name + "image without a digest");
    require(container.getResources() != null && container.getResources().getLimits().containsKey("memory")
        && container.getResources().getRequests().containsKey("cpu"), "ours: " + name + "resources");
  }

  private static <T> T either(SecurityContext own, Function<SecurityContext, T> get, T shared) {
    T value = get.apply(own);
    return value == null ? shared : value;
  }
}
