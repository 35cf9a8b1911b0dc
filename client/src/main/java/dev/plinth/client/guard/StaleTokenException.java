package dev.plinth.client.guard;

/** The resource has seen a higher token: whoever wrote is not the holder any more. */
public final class StaleTokenException extends RuntimeException {
  private static final long serialVersionUID = 1;

  StaleTokenException(String resource, long token) {
    super(resource + ": token " + token + " is stale (expected: at least the highest seen)");
  }
}
