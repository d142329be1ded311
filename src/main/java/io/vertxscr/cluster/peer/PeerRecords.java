package io.vertxscr.cluster.peer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;

/**
 * Encrypted records on a channel in blocking mode, after its ends have proved themselves by TLS. One thread at a time.
 *
 * <p>A record of TLS has 16 KiB at most, and costs the JDK as much again as its encryption: a new key schedule, two
 * copies, a lock. These have {@link #RECORD_BYTES}. Big-endian:
 * <pre>
 *   0       4           4 + n          4 + n + 16
 *   | n     | n bytes   | tag          |           AES-128-GCM
 * </pre>
 * The keys, one for each direction, are exported from the session of TLS (RFC 8446, 7.5), so that they are of this
 * connection and of nobody else. The nonce is the number of the record, which is not sent: a record that is lost,
 * doubled, moved or changed has no valid tag. After {@link #RECORDS_OF_A_KEY} records the next key is exported.
 *
 * <p>Bytes lie in arrays of the heap, and are encrypted from one to another: for direct buffers the JDK's AES-GCM takes
 * three times as long, and it copies what it decrypts in place.
 */
final class PeerRecords {
  static final int RECORD_BYTES = 64 * 1024;
  /** 64 GiB: far below what AES-GCM allows for one key. */
  private static final int RECORDS_OF_A_KEY = 1 << 20;
  private static final int LENGTH_BYTES = Integer.BYTES;
  private static final int TAG_BYTES = 16;
  private static final int OVERHEAD_BYTES = LENGTH_BYTES + TAG_BYTES;
  private static final int KEY_BYTES = 16;
  private static final int NONCE_BYTES = 12;
  /** The head of the next frame comes along with the last bytes of a record. */
  private static final int SLACK_BYTES = 4 * 1024;
  private static final int LEAST_BYTES = 1024;

  private final SocketChannel socket;
  private final PeerWatchdog.Watch watch;
  private final Direction out;
  private final Direction in;
  /** To be encrypted; between calls empty. */
  private ByteBuffer clear = ByteBuffer.allocate(0);
  /** Encrypted and not sent; between calls empty. */
  private ByteBuffer sealed = ByteBuffer.allocate(0);
  /** Received and not decrypted; between calls to be read. */
  private ByteBuffer received = ByteBuffer.allocate(LEAST_BYTES).limit(0);
  /** Decrypted and not taken; between calls to be read. */
  private ByteBuffer plain = ByteBuffer.allocate(0);

  /** One direction of a connection. */
  private static final class Direction {
    private final ExtendedSSLSession session;
    private final byte sender;
    private final int mode;
    private final int recordsOfAKey;
    private final Cipher cipher;
    private long records;
    private SecretKey key;

    /** @param client whose records they are */
    Direction(ExtendedSSLSession session, boolean client, int mode, int recordsOfAKey)
        throws GeneralSecurityException, SSLException {
      this.session = session;
      this.sender = (byte) (client ? 1 : 2);
      this.mode = mode;
      this.recordsOfAKey = recordsOfAKey;
      this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
      this.key = export(0);
    }

    private SecretKey export(long number) throws SSLException {
      byte[] context = ByteBuffer.allocate(Byte.BYTES + Long.BYTES).put(sender).putLong(number).array();
      return session.exportKeyingMaterialKey("AES", "EXPERIMENTAL vertx-scr peer", context, KEY_BYTES);
    }

    /** Prepares the cipher for the next record. */
    Cipher next() throws SSLException, InvalidKeyException, InvalidAlgorithmParameterException {
      if (records > 0 && records % recordsOfAKey == 0) {
        key = export(records / recordsOfAKey);
      }
      byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putInt(0).putLong(records++).array();
      cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
      return cipher;
    }
  }

  /** @param client which end this is */
  PeerRecords(ExtendedSSLSession session, boolean client, SocketChannel socket, PeerWatchdog.Watch watch)
      throws SSLException {
    this(session, client, socket, watch, RECORDS_OF_A_KEY);
  }

  PeerRecords(ExtendedSSLSession session, boolean client, SocketChannel socket, PeerWatchdog.Watch watch,
      int recordsOfAKey) throws SSLException {
    this.socket = socket;
    this.watch = watch;
    try {
      this.out = new Direction(session, client, Cipher.ENCRYPT_MODE, recordsOfAKey);
      this.in = new Direction(session, !client, Cipher.DECRYPT_MODE, recordsOfAKey);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has AES-GCM", e);
    }
  }

  /** Fills what remains of the buffer. */
  void readFully(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (!plain.hasRemaining()) {
        open();
      }
      int bytes = Math.min(plain.remaining(), into.remaining());
      into.put(plain.slice(plain.position(), bytes));
      plain.position(plain.position() + bytes);
    }
  }

  void writeFully(ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      int bytes = Math.min(from.remaining(), RECORD_BYTES);
      clear = room(clear, bytes).clear();
      clear.put(from.slice(from.position(), bytes)).flip();
      from.position(from.position() + bytes);
      seal();
    }
  }

  /** Sends bytes of a file. Returns how many; 0 at the file's end. */
  long transferFrom(FileChannel file, long position, long bytes) throws IOException {
    int most = (int) Math.min(bytes, RECORD_BYTES);
    clear = room(clear, most);
    int read = file.read(clear.clear().limit(most), position);
    if (read <= 0) {
      return 0;
    }
    clear.flip();
    seal();
    return read;
  }

  /** Encrypts and sends what is clear. */
  private void seal() throws IOException {
    sealed = room(sealed, clear.limit() + OVERHEAD_BYTES).clear();
    sealed.putInt(clear.limit());
    try {
      out.next().doFinal(clear.array(), 0, clear.limit(), sealed.array(), LENGTH_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM encrypts whatever there is", e);
    }
    sealed.position(0).limit(clear.limit() + OVERHEAD_BYTES);
    while (sealed.hasRemaining()) {
      socket.write(sealed);
      watch.moved();
    }
  }

  /** Receives and decrypts the next record. */
  private void open() throws IOException {
    receive(LENGTH_BYTES);
    int bytes = received.getInt(received.position());
    if (bytes <= 0 || bytes > RECORD_BYTES) {
      throw new SSLException("a record of " + bytes + " bytes");
    }
    receive(bytes + OVERHEAD_BYTES);
    plain = room(plain, bytes).position(0).limit(0);
    try {
      in.next().doFinal(received.array(), received.position() + LENGTH_BYTES, bytes + TAG_BYTES, plain.array(), 0);
    } catch (AEADBadTagException e) {
      throw new SSLException("a record was changed on its way", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM decrypts what has a valid tag", e);
    }
    received.position(received.position() + bytes + OVERHEAD_BYTES);
    plain.limit(bytes);
  }

  /** Reads from the socket until so many bytes are there. */
  private void receive(int bytes) throws IOException {
    if (received.remaining() >= bytes) {
      return;
    }
    if (received.capacity() < bytes) {
      received = ByteBuffer.allocate(bytes + SLACK_BYTES).put(received);
    } else {
      received.compact();
    }
    try {
      while (received.position() < bytes) {
        if (socket.read(received) < 0) {
          throw new EOFException("connection closed");
        }
        watch.moved();
      }
    } finally {
      received.flip();
    }
  }

  /** Most connections send or receive little in one direction. */
  private static ByteBuffer room(ByteBuffer buffer, int bytes) {
    return buffer.capacity() >= bytes ? buffer
        : ByteBuffer.allocate(bytes <= LEAST_BYTES ? LEAST_BYTES : RECORD_BYTES + OVERHEAD_BYTES);
  }
}
