package dev.plinth.client.partition;

import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.RetrySchedule;
import dev.plinth.client.internal.session.RegistrySession;
import dev.plinth.registry.v1.PartitionServiceGrpc;
import dev.plinth.registry.v1.PartitionToken;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.ReleasePartitionsRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Releases revoked partitions at the server, many with one call. On the event loop. */
final class PartitionReleaser {
  private static final int MAX_IN_A_CALL = 64;

  private final RegisterRequest member;
  private final ClientRuntime runtime;
  private final Runnable onReleased;
  private final Set<PartitionToken> waiting = new LinkedHashSet<>();
  private final Map<Integer, Long> released = new HashMap<>();
  private RegistrySession session;
  private boolean sending;

  /**
   * @param onReleased runs when the server has answered
   */
  PartitionReleaser(RegisterRequest member, ClientRuntime runtime, Runnable onReleased) {
    this.member = member;
    this.runtime = runtime;
    this.onReleased = onReleased;
  }

  /** With the session before, everything under it ends. */
  void begin(RegistrySession next) {
    session = next;
    waiting.clear();
  }

  /** Whether it is on its way back: then an answer that calls it assigned is an old one. */
  boolean isReleased(int partition, long token) {
    return released.getOrDefault(partition, 0L) >= token;
  }

  /** The application has let go of it. Again, if the server still waits for it. */
  void release(int partition, long token) {
    released.merge(partition, token, Math::max);
    waiting.add(PartitionToken.newBuilder().setPartition(partition).setToken(token).build());
    send();
  }

  private void send() {
    if (sending || waiting.isEmpty()) {
      return;
    }
    sending = true;
    RegistrySession in = session;
    List<PartitionToken> some = waiting.stream().limit(MAX_IN_A_CALL).toList();
    ReleasePartitionsRequest request =
        ReleasePartitionsRequest.newBuilder()
            .setNamespace(member.getNamespace())
            .setGroup(member.getGroup())
            .setName(member.getName())
            .setSessionId(in.id())
            .addAllPartitions(some)
            .setRequestId(runtime.newRequestId())
            .build();
    runtime
        .retried(PartitionServiceGrpc.getReleasePartitionsMethod(), request)
        .whileWanted(() -> session == in && in.isOpen())
        .send()
        .whenComplete(
            (answer, thrown) ->
                runtime.environment().loop().execute(() -> answered(in, some, thrown)));
  }

  private void answered(RegistrySession in, List<PartitionToken> some, Throwable thrown) {
    sending = false;
    if (session == in) {
      some.forEach(waiting::remove);
      if (thrown == null) {
        onReleased.run();
      } else {
        // What is still revoked there is found by the next look, and released again.
        runtime.after(RetrySchedule.MAX_BACKOFF, onReleased);
      }
    }
    send();
  }
}
