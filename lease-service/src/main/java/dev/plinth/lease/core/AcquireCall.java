package dev.plinth.lease.core;

/**
 * Names the call that asks for keys, while it waits.
 *
 * @param id its request, by which it may be sent again or cancelled, or an object of its own
 * @param patient whether the caller may come back, so that its place is kept for a moment
 */
public record AcquireCall(Object id, boolean patient) {
  private record Request(String id, long fingerprint) {}

  /** Sent again with the same content under its id, a request is joined to the one that waits. */
  public static AcquireCall of(String requestId, long fingerprint) {
    return new AcquireCall(new Request(requestId, fingerprint), true);
  }

  /** One that cannot be sent again. */
  public static AcquireCall ofOne() {
    return new AcquireCall(new Object(), false);
  }

  /** One whose caller comes back with another call. */
  public static AcquireCall ofStream() {
    return new AcquireCall(new Object(), true);
  }
}
