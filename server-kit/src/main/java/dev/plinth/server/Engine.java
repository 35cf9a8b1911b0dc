package dev.plinth.server;

import java.util.Optional;

/** A store that services depend on, as health, status and metrics see it. */
public interface Engine {
  /** What it holds, unique in the process: {@code data}, {@code coordination}, {@code budgets}. */
  String name();

  /**
   * Which implementation serves: {@code embedded}, {@code etcd}, {@code redis}, {@code cassandra}.
   */
  String kind();

  /** A folder or the addresses. */
  String location();

  /**
   * Why the engine cannot serve now, or empty while it can. Asked about twice a second from one
   * thread, so it answers from what the adapter knows and does not wait for the engine.
   */
  Optional<String> unavailableReason();

  /**
   * False where services go on answering without it, in a way of their own that they tell their
   * callers: then its trouble is shown, and changes no health.
   */
  default boolean isEssential() {
    return true;
  }
}
