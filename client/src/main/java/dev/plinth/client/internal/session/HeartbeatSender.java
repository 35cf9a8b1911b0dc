package dev.plinth.client.internal.session;

import dev.plinth.lease.v1.HeartbeatResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends one sign of life. Never blocks; the answer has the ttl that counts anew. */
public interface HeartbeatSender {
  CompletableFuture<HeartbeatResponse> send(Duration deadline);
}
