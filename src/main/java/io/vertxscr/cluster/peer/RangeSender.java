package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes answers on one connection. */
final class RangeSender {
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 * 1024).asReadOnlyBuffer();

  private final PeerChannel peer;
  private final ByteBuffer head = ByteBuffer.allocateDirect(PeerProtocol.HEAD_BYTES + PeerProtocol.MAX_TEXT_BYTES);
  private int sequence;

  RangeSender(PeerChannel peer) {
    this.peer = peer;
  }

  /** Sends the range. What goes wrong with its files is told to the peer, and is not an error here. */
  void send(PeerProtocol.Request request, OpenRange range) throws IOException {
    long held = range.pieces().stream().mapToLong(OpenRange.Piece::bytes).sum();
    if (!range.zerosBehind() && request.offset() + request.bytes() > held) {
      fault(request.number(), new ScrException(Fault.BAD_REQUEST, request.name() + " ends at byte " + held + ": "
          + request.bytes() + " bytes at " + request.offset() + " are not there"));
      return;
    }
    writeHead(request.number(), 0);
    try (PieceCursor cursor = new PieceCursor(range.pieces(), request.offset())) {
      long left = request.bytes();
      while (left > 0) {
        int frameBytes = (int) Math.min(left, PeerProtocol.MAX_FRAME_BYTES);
        writeHead(request.number(), frameBytes);
        ScrException fault = sendFrame(cursor, frameBytes);
        if (fault != null) {
          fault(request.number(), fault);
          return;
        }
        left -= frameBytes;
      }
    }
    writeHead(request.number(), 0);
    sequence = 0;
  }

  /** Ends the answer with a fault; legal between frames only. */
  void fault(int number, ScrException why) throws IOException {
    ByteBuffer text = PeerProtocol.text(why.getMessage());
    head.clear();
    PeerProtocol.putHead(head,
        new PeerProtocol.Head(number, sequence, 0, why.fault().number(), text.remaining()));
    peer.writeFully(head.put(text).flip());
    sequence = 0;
  }

  /** Fills one frame to its end, with zeros behind an error. Returns that error, or null. */
  private ScrException sendFrame(PieceCursor cursor, int frameBytes) throws IOException {
    int left = frameBytes;
    try {
      while (left > 0) {
        long sent = cursor.transferTo(peer, left);
        if (sent == 0) {
          break;
        }
        left -= (int) sent;
      }
      writeZeros(left);
      return null;
    } catch (ScrException e) {
      writeZeros(left);
      return e;
    }
  }

  private void writeZeros(int bytes) throws IOException {
    for (int left = bytes; left > 0; ) {
      ByteBuffer zeros = ZEROS.duplicate().limit(Math.min(left, ZEROS.capacity()));
      left -= zeros.remaining();
      peer.writeFully(zeros);
    }
  }

  private void writeHead(int number, int bytes) throws IOException {
    head.clear();
    PeerProtocol.putHead(head, new PeerProtocol.Head(number, sequence++, bytes, 0, 0));
    peer.writeFully(head.flip());
  }
}
