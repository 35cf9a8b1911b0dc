package dev.plinth.client.lease;

/**
 * What a restarted process needs to resume the session it had: whoever knows it can. Keep it as
 * safe as a password.
 */
public record SessionCredentials(String id, String secret) {
  /** Without the secret. */
  @Override
  public String toString() {
    return "session " + id;
  }
}
