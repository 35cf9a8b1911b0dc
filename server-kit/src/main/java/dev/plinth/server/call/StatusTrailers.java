package dev.plinth.server.call;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;

/** A rich status in the two parts that a call is closed with. */
record StatusTrailers(Status status, Metadata trailers) {
  static StatusTrailers of(com.google.rpc.Status rich) {
    StatusRuntimeException parts = StatusProto.toStatusRuntimeException(rich);
    return new StatusTrailers(parts.getStatus(), parts.getTrailers());
  }
}
