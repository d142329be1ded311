package io.vertxscr.cluster.bridge;

import io.vertx.core.json.JsonObject;
import io.vertxscr.protocol.Frames;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Writes any bytes to the application socket, and reads frames. Blocking. */
final class RawClient implements Closeable {
  private final SocketChannel channel;

  RawClient(Path socket) throws IOException {
    channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
  }

  /** Through TCP. */
  RawClient(InetSocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
  }

  void bytes(byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  void text(String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    bytes(ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array());
  }

  void frame(JsonObject frame) throws IOException {
    bytes(Frames.encode(frame));
  }

  JsonObject call(String address, JsonObject body) throws IOException {
    frame(Frames.send(address, "r", body));
    return read().orElseThrow();
  }

  /** The next frame; empty at the end of the stream. */
  Optional<JsonObject> read() throws IOException {
    ByteBuffer length = ByteBuffer.allocate(4);
    if (!fill(length)) {
      return Optional.empty();
    }
    ByteBuffer json = ByteBuffer.allocate(length.flip().getInt());
    fill(json);
    return Optional.of(new JsonObject(new String(json.array(), StandardCharsets.UTF_8)));
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private boolean fill(ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        return false;
      }
    }
    return true;
  }
}
