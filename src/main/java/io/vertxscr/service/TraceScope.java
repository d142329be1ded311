package io.vertxscr.service;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * Position of a span in the tree of a trace. Immutable.
 *
 * <p>Its ids are hashes of what all nodes know: subject of the trace, node, names from the root down. So a node can
 * name a parent that another node reports, and no message carries a context.
 */
public final class TraceScope {
  /** Of a trace that nobody reads: all it returns is itself. */
  public static final TraceScope NONE = new TraceScope("", "", "", "", "", Map.of());
  private static final int TRACE_ID_BYTES = 16;
  private static final int SPAN_ID_BYTES = 8;

  private final String traceId;
  private final String spanId;
  private final String parentId;
  private final String name;
  private final String node;
  private final Map<String, Object> attributes;

  private TraceScope(
      String traceId, String spanId, String parentId, String name, String node, Map<String, Object> attributes) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.parentId = parentId;
    this.name = name;
    this.node = node;
    this.attributes = attributes;
  }

  /** The root of a trace. @param subject all that tells it from other traces */
  static TraceScope root(String name, String subject, String node) {
    String traceId = hash(TRACE_ID_BYTES, subject);
    return new TraceScope(traceId, hash(SPAN_ID_BYTES, traceId), "", name, node, Map.of());
  }

  private static String hash(int bytes, String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      digest[0] |= 1;                                     // an id of zeros is none
      return HexFormat.of().formatHex(Arrays.copyOf(digest, bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);                 // every JDK has it
    }
  }

  /** Whether nobody reads the trace. */
  public boolean isNone() {
    return this == NONE;
  }

  /** A child, the only one of that name that this node has here. */
  public TraceScope child(String name) {
    return child(name, "");
  }

  /** A child. @param key tells it from others of that name here */
  public TraceScope child(String name, String key) {
    return isNone() ? this
        : new TraceScope(traceId, hash(SPAN_ID_BYTES, String.join("\n", spanId, node, name, key)), spanId, name, node,
            Map.of());
  }

  /** A child. @param key tells it from others of that name here */
  public TraceScope child(String name, long key) {
    return isNone() ? this : child(name, Long.toString(key));
  }

  /** The same position, for children on another node. */
  public TraceScope on(String another) {
    return isNone() ? this : new TraceScope(traceId, spanId, parentId, name, another, attributes);
  }

  /** The same with an attribute. */
  public TraceScope with(String attribute, String value) {
    return isNone() ? this : added(attribute, value);
  }

  /** The same with an attribute. */
  public TraceScope with(String attribute, long value) {
    return isNone() ? this : added(attribute, value);
  }

  private TraceScope added(String attribute, Object value) {
    Map<String, Object> more = new TreeMap<>(attributes);
    more.put(attribute, value);
    return new TraceScope(traceId, spanId, parentId, name, node, more);
  }

  String traceId() {
    return traceId;
  }

  String spanId() {
    return spanId;
  }

  String parentId() {
    return parentId;
  }

  String name() {
    return name;
  }

  String node() {
    return node;
  }

  Map<String, Object> attributes() {
    return attributes;
  }
}
