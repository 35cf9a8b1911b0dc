package dev.plinth.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends one sign of life. Never blocks; the answer is the ttl that counts anew. */
interface Heart {
  CompletableFuture<Duration> beat(Duration deadline);
}
