package dev.plinth.shards.grpc;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.plinth.server.call.CallDeclaration;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/**
 * Tells calls that may stay open from those that are answered at once: a stream may, and a unary
 * call that asks to wait.
 *
 * @param waitField as its method declares it, null where it has none
 */
record CallKind(boolean stream, boolean urgent, FieldDescriptor waitField) {
  private static final Duration MIN_WAIT = Durations.fromMillis(1);

  static CallKind of(MethodDescriptor<?, ?> method, CallDeclaration declaration) {
    return new CallKind(
        method.getType() != MethodType.UNARY,
        declaration.isUrgent(),
        declaration.waitField().orElse(null));
  }

  PeerChannels.Kind of(Object request) {
    boolean waits = waitField != null && ((Message) request).hasField(waitField);
    return stream || waits ? PeerChannels.Kind.LONG : PeerChannels.Kind.SHORT;
  }

  /**
   * The request with what is left of its wait, so that a call which goes to another owner waits no
   * longer in all than it asked to. A millisecond at least: with none it would not be put in line,
   * and be refused instead of timed out.
   */
  <Q> Q afterWaiting(Q request, java.time.Duration waited) {
    if (waitField == null || !((Message) request).hasField(waitField)) {
      return request;
    }
    Message message = (Message) request;
    Duration asked = (Duration) message.getField(waitField);
    if (!Durations.isValid(asked) || Durations.compare(asked, MIN_WAIT) <= 0) {
      return request;
    }
    Duration left = Durations.subtract(asked, Durations.fromNanos(waited.toNanos()));
    Duration wait = Durations.compare(left, MIN_WAIT) < 0 ? MIN_WAIT : left;
    @SuppressWarnings("unchecked")
    Q shorter = (Q) message.toBuilder().setField(waitField, wait).build();
    return shorter;
  }
}
