package dev.plinth.lease.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds the wishes of tests. */
final class Wish {
  private final String owner;
  private final List<Want> wants = new ArrayList<>();
  private String key = "printer";
  private Mode mode = Mode.EXCLUSIVE;
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
    wants.add(new Want(new LeaseName("default", name), mode, weight));
    return this;
  }

  Wish mode(Mode given) {
    mode = given;
    return this;
  }

  Wish weight(int given) {
    mode = Mode.SEMAPHORE;
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

  Acquire build() {
    List<Want> all = new ArrayList<>();
    if (wants.isEmpty()) {
      all.add(new Want(new LeaseName("default", key), mode, weight));
    }
    all.addAll(wants);
    return new Acquire(all, owner, session, ttl, wait, priority, payload, delay, patient);
  }
}
