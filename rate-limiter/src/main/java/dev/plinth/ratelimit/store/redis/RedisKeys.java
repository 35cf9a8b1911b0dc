package dev.plinth.ratelimit.store.redis;

import java.nio.charset.StandardCharsets;

/** The keys of one domain, all with its hash tag: a domain is in one slot of a cluster. */
record RedisKeys(String prefix) {
  static RedisKeys of(String domain) {
    return new RedisKeys("plinth:{" + domain + "}:");
  }

  byte[] budget(String key) {
    return bytes("b:" + key);
  }

  byte[] ticket(String id) {
    return bytes("t:" + id);
  }

  byte[] request(String id) {
    return bytes("r:" + id);
  }

  byte[] slot(String id) {
    return bytes("s:" + id);
  }

  byte[] slots(String budget) {
    return bytes("z:" + budget);
  }

  byte[] token() {
    return bytes("token");
  }

  private byte[] bytes(String rest) {
    return (prefix + rest).getBytes(StandardCharsets.UTF_8);
  }
}
