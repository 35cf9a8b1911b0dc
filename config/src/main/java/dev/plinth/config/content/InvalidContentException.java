package dev.plinth.config.content;

/** Content is not what its type or its schema says. */
public final class InvalidContentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param message what is wrong, and where
   */
  public InvalidContentException(String message) {
    super(message, null, false, false);
  }
}
