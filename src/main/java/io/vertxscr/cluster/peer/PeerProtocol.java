package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.Names;
import io.vertxscr.model.ScrException;
import io.vertxscr.redundancy.range.RangeRequest;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The bytes after the {@link Handshake}: requests, one after another, each answered by frames. Big-endian.
 *
 * <pre>
 *  REQUEST, 36 bytes
 *   0       4       8   9   10    12      16      20              28              36
 *   | magic | number|op |kind| 0  |dataset| rank  | offset        | bytes         |
 *
 *  FRAME head, 20 bytes, then `bytes` of payload or `text` of message
 *   0       4       8        12      16     18     20
 *   | magic | number|sequence| bytes |status| text |
 *
 *  an answer:     head(0, bytes 0)  head(1, n) n bytes  head(2, n) n bytes ... head(last, bytes 0)
 *  with a fault:  any head after a whole frame may carry a status instead; it ends the answer
 * </pre>
 *
 * <p>{@code number} counts the requests of a connection from 1 and comes back in every head; {@code sequence} counts
 * the heads of an answer from 0. A stream that has slipped by one byte, or answers another request, is noticed at the
 * next head. {@code op} is 1 (read); {@code kind} 1 files, 2 redundancy, 3 parity. {@code status} is 0 or a
 * {@link Fault}
 * number, with {@code text} bytes of UTF-8 behind the head. The server hangs up after a request that is none.
 *
 * <p>A server that meets an error in the middle of a frame fills the frame with zeros and sends the fault in the next
 * head. Therefore the receiver reads the next head before it hands out the end of a frame.
 *
 * <p>Frames carry no checksum. {@link PeerRecords} protect them; on a trusted network, where the sender hands over
 * pages of its files without seeing the bytes, the checksums of the filemap find damage.
 */
final class PeerProtocol {
  static final int MAGIC = 0x53435250;                        // "SCRP"
  static final int VERSION = 3;
  static final int REQUEST_BYTES = 36;
  static final int HEAD_BYTES = 20;
  static final int MAX_FRAME_BYTES = 512 * 1024;
  static final int MAX_TEXT_BYTES = 1024;

  private static final byte READ = 1;
  /** By their numbers, which count from 1. */
  private static final List<RangeRequest.RangeKind> KINDS =
      List.of(RangeRequest.RangeKind.FILES, RangeRequest.RangeKind.REDUNDANCY, RangeRequest.RangeKind.PARITY);

  /** A request as the server sees it: the node is itself. */
  record Request(int number, int datasetId, int rank, RangeRequest.RangeKind kind, long offset, long bytes) {
    String name() {
      return PeerProtocol.name(kind, rank, datasetId);
    }
  }

  /** A frame's head. */
  record Head(int number, int sequence, int bytes, int status, int textBytes) {}

  private PeerProtocol() {}

  static void putRequest(ByteBuffer to, int number, RangeRequest request) {
    to.putInt(MAGIC).putInt(number).put(READ).put((byte) kindNumber(request.kind())).putShort((short) 0)
        .putInt(request.datasetId()).putInt(request.rank()).putLong(request.offset()).putLong(request.bytes());
  }

  /** @throws ScrException BAD_REQUEST for anything that no client sends */
  static Request getRequest(ByteBuffer from) {
    int magic = from.getInt();
    int number = from.getInt();
    int op = from.get();
    int kind = from.get();
    int zero = from.getShort();
    if (magic != MAGIC || op != READ || zero != 0 || kind < 1 || kind > KINDS.size()) {
      throw new ScrException(Fault.BAD_REQUEST, "not a request for a range");
    }
    Request request = new Request(number, from.getInt(), from.getInt(),
        KINDS.get(kind - 1), from.getLong(), from.getLong());
    if (request.datasetId < 1 || request.rank < 0 || request.offset < 0 || request.bytes < 0
        || request.offset > Long.MAX_VALUE - request.bytes) {
      throw new ScrException(Fault.BAD_REQUEST, "no such range can exist: " + request);
    }
    return request;
  }

  static void putHead(ByteBuffer to, Head head) {
    to.putInt(MAGIC).putInt(head.number).putInt(head.sequence).putInt(head.bytes)
        .putShort((short) head.status).putShort((short) head.textBytes);
  }

  /** @throws ScrException CORRUPT if these are not 20 bytes that a server sends */
  static Head getHead(ByteBuffer from) {
    int magic = from.getInt();
    Head head = new Head(from.getInt(), from.getInt(), from.getInt(),
        Short.toUnsignedInt(from.getShort()), Short.toUnsignedInt(from.getShort()));
    boolean payload = head.status == 0 && head.textBytes == 0 && head.bytes >= 0 && head.bytes <= MAX_FRAME_BYTES;
    boolean fault = head.status != 0 && head.bytes == 0 && head.textBytes <= MAX_TEXT_BYTES;
    if (magic != MAGIC || !(payload || fault)) {
      throw new ScrException(Fault.CORRUPT, "not the head of a frame");
    }
    return head;
  }

  /** The message in UTF-8, cut behind a whole character where it is too long. */
  static ByteBuffer text(String message) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_TEXT_BYTES);
    StandardCharsets.UTF_8.newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(CharBuffer.wrap(message), bytes, true);
    return bytes.flip();
  }

  static String name(RangeRequest.RangeKind kind, int rank, int datasetId) {
    String what = switch (kind) {
      case FILES -> "files";
      case REDUNDANCY -> "redundancy";
      case PARITY -> "finished parity";
    };
    return what + " of rank " + rank + " in dataset " + datasetId;
  }

  /** Node names are bounded by {@link Names#node}, so their length always fits its field. */
  static byte[] nodeName(String node) {
    return Names.node(node).getBytes(StandardCharsets.UTF_8);
  }

  private static int kindNumber(RangeRequest.RangeKind kind) {
    return KINDS.indexOf(kind) + 1;
  }
}
