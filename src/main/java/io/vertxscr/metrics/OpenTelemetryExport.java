package io.vertxscr.metrics;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdkBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.vertxscr.service.TraceSpan;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Exports by OpenTelemetry's SDK, as the variables OTEL_* say. Nothing else of the program names its classes, so a
 * daemon without traces loads none. Spans come with their ids, which other nodes know beforehand.
 */
public final class OpenTelemetryExport implements TraceExport {
  private static final long CLOSE_S = 5;

  private final OpenTelemetrySdk sdk;
  private final Tracer tracer;
  private final GivenIds ids = new GivenIds();

  /** Ids of the span that this thread is about to report. */
  private static final class GivenIds implements IdGenerator {
    private final ThreadLocal<TraceSpan> next = new ThreadLocal<>();

    @Override
    public String generateSpanId() {
      return next.get().spanId();
    }

    @Override
    public String generateTraceId() {
      return next.get().traceId();
    }
  }

  /** Exports the spans of a node. */
  public OpenTelemetryExport(String node) {
    this(node, builder -> builder);
  }

  OpenTelemetryExport(String node, UnaryOperator<AutoConfiguredOpenTelemetrySdkBuilder> changed) {
    sdk = changed.apply(AutoConfiguredOpenTelemetrySdk.builder().disableShutdownHook()
        .addPropertiesSupplier(() -> Map.of("otel.service.name", "vertx-scr",
            "otel.metrics.exporter", "none", "otel.logs.exporter", "none"))
        .addResourceCustomizer((resource, _) -> resource.merge(
            Resource.builder().put("scr.node", node).build()))
        .addTracerProviderCustomizer((provider, _) -> provider.setIdGenerator(ids)))
        .build().getOpenTelemetrySdk();
    tracer = sdk.getTracer("io.vertxscr");
  }

  @Override
  public void ended(TraceSpan span) {
    SpanBuilder builder = tracer.spanBuilder(span.name()).setStartTimestamp(span.startNs(), TimeUnit.NANOSECONDS)
        .setAttribute("scr.node", span.node());
    if (span.parentId().isEmpty()) {
      builder.setNoParent();
    } else {
      builder.setParent(Context.root().with(Span.wrap(SpanContext.createFromRemoteParent(
          span.traceId(), span.parentId(), TraceFlags.getSampled(), TraceState.getDefault()))));
    }
    span.attributes().forEach((name, value) -> {
      if (value instanceof Long number) {
        builder.setAttribute(name, number);
      } else {
        builder.setAttribute(name, value.toString());
      }
    });
    ids.next.set(span);
    Span made = builder.startSpan();
    ids.next.remove();
    span.failure().ifPresent(failure -> made.setStatus(StatusCode.ERROR, failure.cause())
        .setAttribute("error.type", failure.fault().name()));
    made.end(span.endNs(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    sdk.shutdown().join(CLOSE_S, TimeUnit.SECONDS);
  }
}
