package dev.plinth.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A caller that begins requests and never ends them, which no gRPC library does: each call
 * announces a message, sends a part of it and falls silent. HTTP/2 by hand, as much as that takes.
 */
public final class HalfRequests implements AutoCloseable {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int WINDOW_UPDATE = 8;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int FRAME = 16 * 1024;
  private static final long PATIENCE_MILLIS = 200;

  private final Socket socket;
  private final DataOutputStream out;
  private final String path;
  private final int announced;
  private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
  private long window = 65_535;
  private int next = 1;

  /**
   * @param path of the call, as HTTP/2 has it
   * @param announced size of the message that each call says it sends
   */
  public HalfRequests(int port, String path, int announced) throws IOException {
    this.path = path;
    this.announced = announced;
    socket = new Socket("127.0.0.1", port);
    out = new DataOutputStream(socket.getOutputStream());
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame(SETTINGS, 0, 0, new byte[0]);
    Thread reader = new Thread(this::read, "half-requests");
    reader.setDaemon(true);
    reader.start();
  }

  /** Begins calls and sends so many bytes of each, as far as the server lets it. */
  public void begin(int calls, int bytes) throws IOException {
    for (int i = 0; i < calls; i++) {
      int stream = next;
      next += 2;
      frame(HEADERS, END_HEADERS, stream, headers());
      ByteArrayOutputStream prefix = new ByteArrayOutputStream();
      DataOutputStream length = new DataOutputStream(prefix);
      length.writeByte(0);
      length.writeInt(announced);
      int sent = 0;
      byte[] part = prefix.toByteArray();
      while (sent < bytes && !ended.contains(stream) && spend(part.length)) {
        frame(DATA, 0, stream, part);
        sent += part.length;
        part = new byte[FRAME];
      }
    }
  }

  /** How many calls the server has ended. */
  public int endedByServer() {
    return ended.size();
  }

  private byte[] headers() {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    header(block, ":method", "POST");
    header(block, ":scheme", "http");
    header(block, ":path", path);
    header(block, ":authority", "localhost");
    header(block, "te", "trailers");
    header(block, "content-type", "application/grpc");
    return block.toByteArray();
  }

  /** A literal without indexing, its name too. */
  private static void header(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    for (String text : new String[] {name, value}) {
      block.write(text.length());
      block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }
  }

  private synchronized void frame(int type, int flags, int stream, byte[] payload)
      throws IOException {
    out.writeByte(payload.length >> 16);
    out.writeShort(payload.length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(payload);
    out.flush();
  }

  /** False if the server gives no more room for a while. */
  private synchronized boolean spend(int bytes) {
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    try {
      while (window < bytes) {
        long left = (end - System.nanoTime()) / 1_000_000;
        if (left <= 0) {
          return false;
        }
        wait(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    window -= bytes;
    return true;
  }

  private synchronized void grow(int bytes) {
    window += bytes;
    notifyAll();
  }

  private void read() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt() & Integer.MAX_VALUE;
        byte[] payload = in.readNBytes(length);
        if (type == SETTINGS && (flags & ACK) == 0) {
          frame(SETTINGS, ACK, 0, new byte[0]);
        } else if (type == PING && (flags & ACK) == 0) {
          frame(PING, ACK, 0, payload);
        } else if (type == WINDOW_UPDATE && stream == 0) {
          grow(java.nio.ByteBuffer.wrap(payload).getInt());
        } else if (type == RST_STREAM || type == HEADERS) {
          ended.add(stream);
        }
      }
    } catch (IOException e) {
      grow(0); // closed
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
