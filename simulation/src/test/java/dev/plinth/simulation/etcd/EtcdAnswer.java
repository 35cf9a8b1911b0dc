package dev.plinth.simulation.etcd;

import com.google.protobuf.Message;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.function.Supplier;

/** What etcd said to a request: a message, or a refusal as its code and words. */
record EtcdAnswer(Message message, String refusal) {
  static EtcdAnswer of(Supplier<Message> call) {
    try {
      return new EtcdAnswer(call.get(), "");
    } catch (StatusRuntimeException e) {
      Status status = e.getStatus();
      return new EtcdAnswer(null, status.getCode() + ": " + status.getDescription());
    }
  }

  boolean isRefused() {
    return message == null;
  }

  @Override
  public String toString() {
    return isRefused() ? refusal : message.toString();
  }
}
