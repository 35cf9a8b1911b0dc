package dev.plinth.bench;

import com.google.protobuf.StringValue;
import dev.plinth.testkit.EchoService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import java.util.concurrent.CompletableFuture;

/** The yardstick: a call that does nothing, behind the same host as the service under load. */
public final class Echo {
  public static final String NAME = "bare gRPC echo";

  private static final String TEXT = "x".repeat(40);

  private Echo() {}

  public static CompletableFuture<StringValue> call(Channel channel) {
    return Futures.of(
        answer ->
            ClientCalls.asyncUnaryCall(
                channel.newCall(EchoService.SAY, CallOptions.DEFAULT),
                StringValue.of(TEXT),
                answer));
  }

  public static void block(Channel channel) {
    if (!EchoService.say(channel, TEXT).equals(TEXT)) {
      throw new IllegalStateException("another answer");
    }
  }
}
