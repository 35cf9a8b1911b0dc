package dev.plinth.client;

import com.google.protobuf.ByteString;
import dev.plinth.lease.v1.AcquireRequest;
import dev.plinth.lease.v1.Mode;

/** How a key is to be taken. The usual: exclusive, priority 0, no payload, no re-entry. */
public final class AcquireOptions {
  static final AcquireOptions USUAL =
      new AcquireOptions(Mode.MODE_EXCLUSIVE, 0, ByteString.EMPTY, false);

  private final Mode mode;
  private final int priority;
  private final ByteString payload;
  private final boolean reentrant;

  private AcquireOptions(Mode mode, int priority, ByteString payload, boolean reentrant) {
    this.mode = mode;
    this.priority = priority;
    this.payload = payload;
    this.reentrant = reentrant;
  }

  public static AcquireOptions usual() {
    return USUAL;
  }

  /** Beside other shared holders. */
  public AcquireOptions shared() {
    return new AcquireOptions(Mode.MODE_SHARED, priority, payload, reentrant);
  }

  /** Higher is served first; -100 to 100. */
  public AcquireOptions priority(int value) {
    return new AcquireOptions(mode, value, payload, reentrant);
  }

  /** Kept with the lease for others to read; at most 4 KiB. */
  public AcquireOptions payload(byte[] value) {
    return new AcquireOptions(mode, priority, ByteString.copyFrom(value), reentrant);
  }

  /**
   * Takes the key as the client itself, not as one of its handles: whoever does so again in this
   * client has it too, under the same token, and it takes as many closes. Also lets a successor
   * with the same owner id reclaim a key during its lock-delay.
   */
  public AcquireOptions reentrant() {
    return new AcquireOptions(mode, priority, payload, true);
  }

  boolean isReentrant() {
    return reentrant;
  }

  AcquireRequest.Builder request() {
    return AcquireRequest.newBuilder().setMode(mode).setPriority(priority).setPayload(payload);
  }
}
