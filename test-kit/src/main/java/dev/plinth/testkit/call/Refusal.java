package dev.plinth.testkit.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import dev.plinth.error.v1.ErrorReason;
import dev.plinth.server.failure.StatusMapping;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import java.util.function.Supplier;

/** A call that was not answered but refused. */
public record Refusal(Status.Code code, com.google.rpc.Status status) {
  public static Refusal of(Supplier<?> call) {
    return of(assertThrows(StatusRuntimeException.class, call::get));
  }

  public static Refusal of(Throwable thrown) {
    return new Refusal(Status.fromThrowable(thrown).getCode(), StatusProto.fromThrowable(thrown));
  }

  /** The one place for what every refusal must have. */
  public Refusal is(Status.Code expected, ErrorReason reason) {
    assertEquals(expected, code, status.getMessage());
    assertEquals(StatusMapping.wire(reason), detail(ErrorInfo.class).getReason());
    assertEquals(StatusMapping.DOMAIN, detail(ErrorInfo.class).getDomain());
    return this;
  }

  public Refusal isExhausted(ErrorReason reason) {
    is(Status.Code.RESOURCE_EXHAUSTED, reason);
    assertEquals(1, detail(QuotaFailure.class).getViolationsCount());
    detail(RetryInfo.class);
    return this;
  }

  /** A field that broke the rules of the platform, or of its namespace. */
  public Refusal isOfField(String field, ErrorReason reason) {
    is(Status.Code.INVALID_ARGUMENT, reason);
    assertEquals(field, detail(BadRequest.class).getFieldViolations(0).getField());
    return this;
  }

  public Map<String, String> metadata() {
    return detail(ErrorInfo.class).getMetadataMap();
  }

  public <T extends Message> T detail(Class<T> type) {
    for (Any detail : status.getDetailsList()) {
      if (detail.is(type)) {
        try {
          return detail.unpack(type);
        } catch (InvalidProtocolBufferException e) {
          throw new AssertionError(e);
        }
      }
    }
    throw new AssertionError("no " + type.getSimpleName() + " in " + status);
  }
}
