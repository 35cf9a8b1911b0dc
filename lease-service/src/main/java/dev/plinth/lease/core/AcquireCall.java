package dev.plinth.lease.core;

/**
 * Names the call that asks for keys, while it waits.
 *
 * @param id its request id, under which it may be sent again, or an object of its own
 * @param patient whether the caller may come back, so that its place is kept for a moment
 */
public record AcquireCall(Object id, boolean patient) {
  /** Sent again under its request id, a call is joined to the one that waits. */
  public static AcquireCall of(String requestId) {
    return requestId.isEmpty()
        ? new AcquireCall(new Object(), false)
        : new AcquireCall(requestId, true);
  }

  /** One whose caller comes back with another call. */
  public static AcquireCall ofStream() {
    return new AcquireCall(new Object(), true);
  }
}
