package dev.plinth.standalone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.lease.v1.GetLeaseRequest;
import dev.plinth.lease.v1.LeaseServiceGrpc;
import dev.plinth.testkit.JavaProcess;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** K11, in a whole process: what strangers send costs the log little, and nobody else anything. */
class BadBytesTest {
  private static final int TIMES = 100;
  private static final byte[] INVALID_UTF8 = {0x0a, 0x02, (byte) 0xc3, 0x28};
  private static final String HTTP_1 = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String GARBAGE = "\u0016\u0003\u0001 what is this?\r\n\r\n";
  private static final String PREFACE_THEN_GARBAGE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff";

  @TempDir Path directory;

  @Test
  void K11_badBytesOfEveryKind_leaveFewLines_andNoStack() throws Exception {
    try (JavaProcess plinth =
        JavaProcess.start(directory, PlinthMain.class, "--port=0", "--admin-port=0")) {
      int port = Integer.parseInt(plinth.awaitLine("gRPC on [^:]+:(\\d+)").group(1));
      ManagedChannel channel =
          ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      try {
        long start = System.nanoTime();
        int before = plinth.output().split("\n").length;
        for (int i = 0; i < TIMES; i++) {
          sendMalformed(channel);
          sendOversizedMetadata(channel);
          sendRaw(port, HTTP_1);
          sendRaw(port, GARBAGE);
          sendRaw(port, PREFACE_THEN_GARBAGE);
        }
        assertAnswers(channel);
        String output = plinth.output();
        long seconds = (System.nanoTime() - start) / 1_000_000_000L;
        assertFalse(output.contains("\tat "), output);
        int lines = output.split("\n").length - before;
        assertTrue(lines <= 3 * (seconds + 1), lines + " lines in " + seconds + " s:\n" + output);
        assertTrue(output.contains("malformed requests"), output);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static void assertAnswers(ManagedChannel channel) {
    assertEquals(
        0,
        LeaseServiceGrpc.newBlockingStub(channel)
            .getLease(GetLeaseRequest.newBuilder().setKey("x").build())
            .getHoldersCount());
  }

  private static void sendMalformed(ManagedChannel channel) {
    MethodDescriptor<byte[], byte[]> raw =
        LeaseServiceGrpc.getAcquireMethod().toBuilder(new Bytes(), new Bytes()).build();
    try {
      ClientCalls.blockingUnaryCall(channel, raw, CallOptions.DEFAULT, INVALID_UTF8);
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.INVALID_ARGUMENT, e.getStatus().getCode());
    }
  }

  private static void sendOversizedMetadata(ManagedChannel channel) {
    Metadata headers = new Metadata();
    headers.put(Metadata.Key.of("large", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(20_000));
    try {
      LeaseServiceGrpc.newBlockingStub(channel)
          .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
          .getLease(GetLeaseRequest.newBuilder().setKey("x").build());
    } catch (StatusRuntimeException e) {
      // Refused, as it should be; with which status is gRPC's to say.
    }
  }

  private static void sendRaw(int port, String text) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      socket.setSoTimeout(2000);
      socket.getInputStream().readAllBytes();
    } catch (IOException e) {
      // Cut off, or left open until the timeout.
    }
  }

  private static final class Bytes implements Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
