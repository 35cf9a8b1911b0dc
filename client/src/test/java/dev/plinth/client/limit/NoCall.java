package dev.plinth.client.limit;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.io.InputStream;
import java.util.List;

/** A call without a network: all that is left of it is how it was closed. */
final class NoCall extends ServerCall<String, String> {
  private final List<String> log;

  NoCall(List<String> log) {
    this.log = log;
  }

  @Override
  public void request(int messages) {}

  @Override
  public void sendHeaders(Metadata headers) {}

  @Override
  public void sendMessage(String message) {}

  @Override
  public void close(Status status, Metadata trailers) {
    log.add("closed " + status.getCode());
  }

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public Attributes getAttributes() {
    return Attributes.EMPTY;
  }

  @Override
  public MethodDescriptor<String, String> getMethodDescriptor() {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
        .setFullMethodName("a/b")
        .setRequestMarshaller(new Unread())
        .setResponseMarshaller(new Unread())
        .build();
  }

  private static final class Unread implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String parse(InputStream stream) {
      throw new UnsupportedOperationException();
    }
  }
}
