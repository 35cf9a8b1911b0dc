package dev.plinth.testkit.engine;

/** A source of engines has none here, for the reason in the message. */
final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnavailableException(String reason) {
    super(reason);
  }
}
