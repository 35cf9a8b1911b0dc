package dev.plinth.lease.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds the wishes of tests. */
final class Wish {
  private final String owner;
  private final List<KeyRequest> wants = new ArrayList<>();
  private String key = "printer";
  private LeaseMode leaseMode = LeaseMode.EXCLUSIVE;
  private int weight;
  private String session = "";
  private Optional<Duration> ttl = Optional.of(CoreTest.TTL);
  private Optional<Duration> wait = Optional.of(Duration.ZERO);
  private Optional<Duration> delay = Optional.empty();
  private int priority;
  private boolean patient;
  private byte[] payload = {1, 2};

  Wish(String owner) {
    this.owner = owner;
  }

  Wish key(String name) {
    key = name;
    return this;
  }

  /** One more key of a set. */
  Wish and(String name) {
    wants.add(new KeyRequest(new LeaseName("default", name), leaseMode, weight));
    return this;
  }

  Wish mode(LeaseMode given) {
    leaseMode = given;
    return this;
  }

  Wish weight(int given) {
    leaseMode = LeaseMode.SEMAPHORE;
    weight = given;
    return this;
  }

  Wish session(String id) {
    session = id;
    return this;
  }

  Wish ttl(Duration given) {
    ttl = Optional.of(given);
    return this;
  }

  Wish usualTtl() {
    ttl = Optional.empty();
    return this;
  }

  Wish wait(Duration given) {
    wait = Optional.of(given);
    return this;
  }

  Wish waitForEver() {
    wait = Optional.empty();
    return this;
  }

  Wish delay(Duration given) {
    delay = Optional.of(given);
    return this;
  }

  Wish priority(int given) {
    priority = given;
    return this;
  }

  Wish payload(byte[] given) {
    payload = given;
    return this;
  }

  Wish patient() {
    patient = true;
    return this;
  }

  AcquireSpec build() {
    List<KeyRequest> all = new ArrayList<>();
    if (wants.isEmpty()) {
      all.add(new KeyRequest(new LeaseName("default", key), leaseMode, weight));
    }
    all.addAll(wants);
    return new AcquireSpec(
        all,
        new LeaseOwner(owner, session),
        ttl,
        delay,
        wait,
        priority,
        payload,
        new AcquireCall(new Object(), patient));
  }
}
