package io.vertxscr.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import io.vertxscr.service.TraceSpan;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what OpenTelemetry's SDK exports is what we report. Method: the real SDK, and an exporter that keeps it. */
class OpenTelemetryExportTest {
  private static final String TRACE = "0123456789abcdef0123456789abcdef";
  private static final TraceSpan ROOT = new TraceSpan(TRACE, "00000000000000a1", "", "scr.output", "n1", 1_000_000_007,
      3_000_000_009L, Map.of("scr.dataset.id", 5L, "scr.dataset.name", "step-5"), Optional.empty());
  private static final TraceSpan CHILD = new TraceSpan(TRACE, "00000000000000b2", "00000000000000a1", "complete-output",
      "n2", 2_000_000_000, 2_500_000_000L, Map.of(),
      Optional.of(new TraceSpan.Failure(Fault.NODE_LOST, "node n3 has left the cluster")));

  /** Keeps what it is to export. */
  private static final class Kept implements SpanExporter {
    private final List<SpanData> spans = new ArrayList<>();

    @Override
    public CompletableResultCode export(Collection<SpanData> more) {
      spans.addAll(more);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  @Test
  void theSdkExportsIdsTimesAttributesAndFailures() {
    Kept kept = new Kept();
    try (OpenTelemetryExport export = new OpenTelemetryExport("n1", builder -> builder
        .addPropertiesSupplier(() -> Map.of("otel.traces.exporter", "none"))
        .addTracerProviderCustomizer((provider, _) -> provider.addSpanProcessor(SimpleSpanProcessor.create(kept))))) {
      export.ended(CHILD);
      export.ended(ROOT);
    }
    SpanData child = kept.spans.getFirst();
    SpanData root = kept.spans.getLast();
    assertThat(kept.spans).hasSize(2).extracting(SpanData::getTraceId).containsOnly(TRACE);
    assertThat(root.getParentSpanContext().isValid()).isFalse();
    assertThat(root.getSpanId()).isEqualTo(ROOT.spanId());
    assertThat(root.getStartEpochNanos()).isEqualTo(ROOT.startNs());
    assertThat(root.getEndEpochNanos()).isEqualTo(ROOT.endNs());
    assertThat(root.getAttributes().get(AttributeKey.longKey("scr.dataset.id"))).isEqualTo(5);
    assertThat(root.getAttributes().get(AttributeKey.stringKey("scr.dataset.name"))).isEqualTo("step-5");
    assertThat(root.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    assertThat(root.getResource().getAttribute(AttributeKey.stringKey("service.name"))).isEqualTo("vertx-scr");
    assertThat(root.getResource().getAttribute(AttributeKey.stringKey("scr.node"))).isEqualTo("n1");
    assertThat(child.getSpanId()).isEqualTo(CHILD.spanId());
    assertThat(child.getParentSpanId()).isEqualTo(ROOT.spanId());
    assertThat(child.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(child.getStatus().getDescription()).isEqualTo("node n3 has left the cluster");
    assertThat(child.getAttributes().get(AttributeKey.stringKey("error.type"))).isEqualTo("NODE_LOST");
  }

  @Test
  void aDirectoryWithoutJarsIsRefusedByName(@TempDir Path empty) throws Exception {
    assertThatThrownBy(() -> TraceExport.open(empty, "n1")).isInstanceOf(ScrException.class)
        .hasMessage("--traces " + empty + " has no jars");
    Files.createFile(empty.resolve("other.jar"));
    URL jar = empty.resolve("other.jar").toUri().toURL();
    try (TraceExport.SiteLoader loader = new TraceExport.SiteLoader(List.of(jar))) {
      assertThat(loader.loadClass("io.vertxscr.metrics.OpenTelemetryExport").getClassLoader()).isSameAs(loader);
      assertThat(loader.loadClass(TraceExport.class.getName())).isSameAs(TraceExport.class);
    }
  }
}
