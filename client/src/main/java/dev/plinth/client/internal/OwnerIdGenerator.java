package dev.plinth.client.internal;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Names under which a client takes keys: a new one for each handle that asks for no other. */
public final class OwnerIdGenerator {
  private final String client;
  private final AtomicLong last = new AtomicLong();

  public OwnerIdGenerator(String client) {
    this.client = client;
  }

  /**
   * @param name what follows the client's own name, if not a number of its own
   */
  public String of(Optional<String> name) {
    return client + name.orElseGet(() -> "/" + last.incrementAndGet());
  }

  /** Not to be given again: whoever asked under it would enter what the other one holds. */
  public void skip(String taken) {
    String number = taken.substring(taken.lastIndexOf('/') + 1);
    if (number.matches("\\d{1,18}")) {
      last.accumulateAndGet(Long.parseLong(number), Math::max);
    }
  }
}
