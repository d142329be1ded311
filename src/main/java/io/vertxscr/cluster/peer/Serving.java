package io.vertxscr.cluster.peer;

import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The requests of one connection whose client has proved itself. */
final class Serving {
  private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

  private final PeerServer.ServerSettings settings;
  private final RangeCatalog catalog;
  private final PeerChannel peer;
  private final RangeSender sender;
  private final ByteBuffer request = ByteBuffer.allocateDirect(PeerProtocol.REQUEST_BYTES);

  Serving(PeerServer.ServerSettings settings, RangeCatalog catalog, PeerChannel peer) {
    this.settings = settings;
    this.catalog = catalog;
    this.peer = peer;
    this.sender = new RangeSender(peer);
  }

  /** Returns when the client sent something that is no request. @throws IOException when the connection ended */
  void serveAll() throws IOException {
    while (true) {
      peer.watch().limitTotal(settings.timeouts().idleMs());
      peer.readFully(request.clear());
      peer.watch().limitSilence(settings.timeouts().idleMs());
      PeerProtocol.Request wanted;
      try {
        wanted = PeerProtocol.getRequest(request.flip());
      } catch (ScrException e) {
        LOG.warn("node {} got {} from {}", settings.node(), e.getMessage(), peer.peer());
        sender.fault(0, e);
        return;
      }
      answer(wanted);
    }
  }

  private void answer(PeerProtocol.Request wanted) throws IOException {
    OpenRange range;
    try {
      range = catalog.open(wanted.datasetId(), wanted.rank(), wanted.kind());
    } catch (ScrException e) {
      sender.fault(wanted.number(), e);
      return;
    } catch (RuntimeException e) {
      LOG.error("node {} failed to open the {}", settings.node(), wanted.name(), e);
      sender.fault(wanted.number(), new ScrException(Fault.INTERNAL, "cannot open the " + wanted.name()));
      return;
    }
    try (range) {
      sender.send(wanted, range);
    }
  }
}
