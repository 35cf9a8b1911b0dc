package dev.plinth.client;

import dev.plinth.lease.v1.HeartbeatResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends one sign of life. Never blocks; the answer has the ttl that counts anew. */
interface HeartbeatSender {
  CompletableFuture<HeartbeatResponse> send(Duration deadline);
}
