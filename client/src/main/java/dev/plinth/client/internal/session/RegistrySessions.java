package dev.plinth.client.internal.session;

import dev.plinth.client.internal.ClientRuntime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The registry sessions of a client, one for each namespace that it needs one in. */
public final class RegistrySessions {
  private static final Logger log = System.getLogger("plinth.client");

  private final Map<String, SharedRegistrySession> namespaces = new ConcurrentHashMap<>();
  private final Duration ttl;
  private final ClientRuntime runtime;

  public RegistrySessions(ClientRuntime runtime, Duration ttl) {
    this.runtime = runtime;
    this.ttl = ttl;
  }

  public SharedRegistrySession of(String namespace) {
    return namespaces.computeIfAbsent(
        namespace, name -> new SharedRegistrySession(name, ttl, runtime));
  }

  /** Closes those that are open, and waits for the server's answers, at most for so long each. */
  public void close(Duration each) {
    namespaces.values().forEach(shared -> close(shared, each));
  }

  private void close(SharedRegistrySession shared, Duration time) {
    CompletableFuture<Object> closed = new CompletableFuture<>();
    runtime
        .environment()
        .loop()
        .execute(
            () ->
                shared
                    .close()
                    .whenComplete(
                        (answer, thrown) -> {
                          if (thrown == null) {
                            closed.complete(answer);
                          } else {
                            closed.completeExceptionally(thrown);
                          }
                        }));
    try {
      runtime.machine().await(closed, time);
    } catch (ExecutionException | TimeoutException e) {
      log.log(Level.INFO, "a registry session ends by its ttl: {0}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
