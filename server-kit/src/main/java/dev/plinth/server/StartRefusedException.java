package dev.plinth.server;

/** The process cannot start as asked; the message tells a person why and what to do. */
public final class StartRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StartRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
