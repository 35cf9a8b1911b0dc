package dev.plinth.client.member;

import dev.plinth.client.PlinthClient;
import dev.plinth.machine.Machine;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/** Clients of channels that were made by a target alone: one for each server, while it is used. */
final class SharedClients {
  private static final String USUAL = "localhost:7450";

  /** One who uses a client. */
  record Use(PlinthClient client, Runnable release) {}

  private static final class Counted {
    final PlinthClient client;
    int uses;

    Counted(PlinthClient client) {
      this.client = client;
    }
  }

  private final Map<String, Counted> clients = new HashMap<>();

  static String usualServer() {
    return Optional.ofNullable(System.getProperty("plinth.server"))
        .or(() -> Optional.ofNullable(System.getenv("PLINTH_SERVER")))
        .orElse(USUAL);
  }

  synchronized Use use(String server) {
    Counted counted =
        clients.computeIfAbsent(server, target -> new Counted(PlinthClient.connect(target)));
    counted.uses++;
    AtomicBoolean released = new AtomicBoolean();
    return new Use(
        counted.client,
        () -> {
          if (released.compareAndSet(false, true)) {
            release(server, counted);
          }
        });
  }

  private void release(String server, Counted counted) {
    synchronized (this) {
      if (--counted.uses > 0) {
        return;
      }
      clients.remove(server);
    }
    // The channel that lets go of it must not wait for that.
    ExecutorService closer = Machine.system().workers("plinth-client-close", 1);
    closer.execute(counted.client::close);
    closer.shutdown();
  }
}
