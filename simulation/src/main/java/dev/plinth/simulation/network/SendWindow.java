package dev.plinth.simulation.network;

/** Bytes that were sent and that the other end has not taken. */
final class SendWindow {
  private long outstanding;
  private long threshold = 32 * 1024;

  void threshold(long bytes) {
    threshold = bytes;
  }

  void sent(long bytes) {
    outstanding += bytes;
  }

  /** Whether this makes it ready for more again. */
  boolean taken(long bytes) {
    boolean before = isReady();
    outstanding -= bytes;
    return !before && isReady();
  }

  boolean isReady() {
    return outstanding < threshold;
  }
}
