package dev.plinth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Status;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class CallFailedExceptionTest {
  @Test
  void message_isOneLine_withTheCallTheCodeAndWhatTheServerSaid() {
    Status status = Status.UNAVAILABLE.withDescription("io exception");
    CallFailedException failed =
        CallFailedException.of(
            "Acquire", status.withCause(new IOException("refused")).asException());
    assertEquals("Acquire: UNAVAILABLE: io exception", failed.getMessage());
    assertEquals(Status.Code.UNAVAILABLE, failed.code());
  }
}
