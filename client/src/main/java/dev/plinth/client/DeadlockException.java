package dev.plinth.client;

import dev.plinth.client.lease.LeaseClient;
import io.grpc.StatusRuntimeException;

/**
 * A wait that could not have ended: others wait for what this owner holds, and it for what they
 * hold. Nothing was taken. Give back what you hold, then begin again; {@link
 * LeaseClient#acquireSet} avoids it.
 */
public final class DeadlockException extends CallFailedException {
  private static final long serialVersionUID = 1;

  DeadlockException(String method, StatusRuntimeException failure, boolean earlierMayHaveApplied) {
    super(method, failure, earlierMayHaveApplied);
  }
}
