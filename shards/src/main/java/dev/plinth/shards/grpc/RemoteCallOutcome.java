package dev.plinth.shards.grpc;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import dev.plinth.shards.ShardFailures;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;

/** What the end of a call at another node means. */
enum RemoteCallOutcome {
  /** The node's own answer, good or bad. */
  ANSWERED,
  /** The node refused the call, which surely had no effect. */
  UNTOUCHED,
  /** No node answered. */
  LOST;

  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  static RemoteCallOutcome of(Status status, Metadata trailers) {
    if (status.isOk()) {
      return ANSWERED;
    }
    // Every failure of a node carries details; what has none was made by gRPC on the way.
    if (trailers.containsKey(DETAILS)) {
      boolean untouched =
          status.getCode() == Status.Code.UNAVAILABLE && saysNoEffect(status, trailers);
      return untouched ? UNTOUCHED : ANSWERED;
    }
    return switch (status.getCode()) {
      case UNAVAILABLE, UNKNOWN, INTERNAL, CANCELLED -> LOST;
      default -> ANSWERED;
    };
  }

  private static boolean saysNoEffect(Status status, Metadata trailers) {
    for (Any detail : StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        try {
          String effect =
              detail.unpack(ErrorInfo.class).getMetadataOrDefault(ShardFailures.EFFECT, "");
          return effect.equals(ShardFailures.NO_EFFECT);
        } catch (InvalidProtocolBufferException e) {
          return false;
        }
      }
    }
    return false;
  }
}
