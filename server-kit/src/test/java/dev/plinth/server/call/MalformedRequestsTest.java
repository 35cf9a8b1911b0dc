package dev.plinth.server.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.testkit.EchoService;
import dev.plinth.testkit.InProcessHost;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** K11: bytes that are no message are the caller's mistake, and cost the log one line a second. */
class MalformedRequestsTest {
  private static final byte[] INVALID_TAG = {0x0a, 0x7f, 0x01};
  private static final byte[] INVALID_UTF8 = {0x0a, 0x02, (byte) 0xc3, (byte) 0x28};
  private static final int MANY = 200;

  private final InProcessHost host = InProcessHost.serving(EchoService.plain());

  @AfterEach
  void stop() {
    host.close();
  }

  static byte[][] malformed() {
    return new byte[][] {INVALID_TAG, INVALID_UTF8};
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void malformedBytes_areRefusedAsInvalid(byte[] bytes) {
    try (LogCapture log = LogCapture.of("plinth.call")) {
      assertEquals(Status.Code.INVALID_ARGUMENT, codeOf(EchoService.SAY, bytes));
      assertEquals(Status.Code.INVALID_ARGUMENT, codeOf(EchoService.LISTEN, bytes));
      assertEquals(Status.Code.INVALID_ARGUMENT, codeOf(HealthGrpc.getCheckMethod(), bytes));
      assertTrue(log.text().contains("malformed requests"), log.text());
    }
    assertEquals("hello", EchoService.say(host.channel(), "hello"));
  }

  @Test
  void manyMalformedRequests_areCounted_andLoggedOnceASecond() {
    try (LogCapture log = LogCapture.of("plinth.call");
        LogCapture grpc = LogCapture.of("io.grpc", Level.INFO)) {
      long start = System.nanoTime();
      for (int i = 0; i < MANY; i++) {
        codeOf(EchoService.SAY, INVALID_TAG);
      }
      long seconds = (System.nanoTime() - start) / 1_000_000_000L;
      assertTrue(log.text().split("malformed requests").length - 1 <= seconds + 1, log.text());
      assertFalse(log.text().contains("\tat "), "no stack");
      assertEquals("", grpc.text());
      assertEquals(MANY, host.meters().get("plinth.call.malformed").counter().count());
    }
  }

  private Status.Code codeOf(MethodDescriptor<?, ?> method, byte[] bytes) {
    MethodDescriptor<byte[], byte[]> raw = method.toBuilder(new Bytes(), new Bytes()).build();
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                ClientCalls.blockingServerStreamingCall(
                        host.channel(), raw, CallOptions.DEFAULT, bytes)
                    .forEachRemaining(answer -> {}));
    return refused.getStatus().getCode();
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
