package io.vertxscr.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A sample of manifests. Each document is read into the class of its kind in the API of Kubernetes; fields that this
 * one does not have are errors.
 */
enum Manifest {
  /** A daemon on each node, with a directory of the node. */
  SCR("scr.yaml"),
  /** A daemon in each pod of the job. */
  SIDECAR("sidecar.yaml");

  static final Path DIRECTORY = Path.of("conf/kubernetes");
  private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of("DaemonSet", DaemonSet.class,
      "Job", Job.class, "Namespace", Namespace.class, "NetworkPolicy", NetworkPolicy.class, "Service", Service.class);
  /** The classes of the API keep fields that they do not know; these mappers refuse them. */
  private static final YAMLMapper YAML = YAMLMapper.builder().annotationIntrospector(
      new JacksonAnnotationIntrospector() {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(Annotated annotated) {
          return false;
        }
      }).build();

  private final String file;

  Manifest(String file) {
    this.file = file;
  }

  String file() {
    return file;
  }

  /** All documents. */
  List<HasMetadata> read() throws IOException {
    List<HasMetadata> all = new ArrayList<>();
    for (JsonNode document : documents(Files.readString(DIRECTORY.resolve(file)))) {
      all.add(strictly(document));
    }
    return all;
  }

  <T> List<T> read(Class<T> kind) throws IOException {
    return read().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  List<PodTemplateSpec> pods() throws IOException {
    return Stream.concat(read(DaemonSet.class).stream().map(set -> set.getSpec().getTemplate()),
        read(Job.class).stream().map(job -> job.getSpec().getTemplate())).toList();
  }

  /** The pods with a daemon. */
  PodTemplateSpec daemons() throws IOException {
    return pods().stream().filter(pod -> PodSecurity.containers(pod.getSpec()).anyMatch(this::isDaemon))
        .findFirst().orElseThrow();
  }

  /** The container with it. */
  Container daemon() throws IOException {
    return PodSecurity.containers(daemons().getSpec()).filter(this::isDaemon).findFirst().orElseThrow();
  }

  private boolean isDaemon(Container container) {
    return container.getName().equals("daemon");
  }

  /** The documents of a file. */
  static List<JsonNode> documents(String text) throws IOException {
    return YAML.readerFor(JsonNode.class).<JsonNode>readValues(text).readAll();
  }

  /** Reads a document. @throws com.fasterxml.jackson.databind.JsonMappingException for an unknown field */
  static HasMetadata strictly(JsonNode document) throws IOException {
    String kind = document.path("kind").asText();
    assertThat(KINDS).containsKey(kind);
    HasMetadata read = YAML.treeToValue(document, KINDS.get(kind));
    assertThat(read.getApiVersion()).as(kind).isEqualTo(HasMetadata.getApiVersion(KINDS.get(kind)));
    return read;
  }

  /** What is set in an object of the API. */
  static Map<String, Object> tree(Object object) {
    return YAML.convertValue(object, new TypeReference<Map<String, Object>>() { });
  }

  /** Options of a command, with their values. */
  static Map<String, String> options(Container daemon) {
    return daemon.getArgs().stream().map(argument -> argument.split("=", 2)).collect(
        Collectors.toMap(words -> words[0], words -> words[1], (first, _) -> first, LinkedHashMap::new));
  }
}
