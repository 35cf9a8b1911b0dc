package dev.plinth.client;

import java.util.concurrent.atomic.AtomicLong;

/** Names under which a client takes keys: a new one for each handle that asks for no other. */
final class OwnerIdGenerator {
  private final String client;
  private final AtomicLong last = new AtomicLong();

  OwnerIdGenerator(String client) {
    this.client = client;
  }

  String of(AcquireOptions options) {
    return client + options.owner().orElseGet(() -> "/" + last.incrementAndGet());
  }

  /** Not to be given again: whoever asked under it would enter what the other one holds. */
  void skip(String taken) {
    String number = taken.substring(taken.lastIndexOf('/') + 1);
    if (number.matches("\\d{1,18}")) {
      last.accumulateAndGet(Long.parseLong(number), Math::max);
    }
  }
}
