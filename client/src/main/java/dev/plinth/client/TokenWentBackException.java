package dev.plinth.client;

/**
 * A grant under a token that is not higher than one this client had seen before it asked. The
 * server's store has lost what it once acknowledged, as when it was restored from an older backup:
 * another may hold the key, and tokens are given out twice. The grant was given back. It takes an
 * operator to mend it: see {@code --shards.generation}.
 */
public final class TokenWentBackException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long token;
  private final long highest;

  /** For the client itself. */
  public TokenWentBackException(String namespace, String key, long token, long highest) {
    super(
        ("%s in %s was granted with token %d (expected: above %d, which was seen before):"
                + " the server's store went back")
            .formatted(key, namespace, token, highest));
    this.token = token;
    this.highest = highest;
  }

  public long token() {
    return token;
  }

  /** The highest token that was seen before. */
  public long highest() {
    return highest;
  }
}
