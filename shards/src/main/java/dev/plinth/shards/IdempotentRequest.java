package dev.plinth.shards;

import java.util.function.Function;

/**
 * A mutation by the id its caller gave it, so that sent again it has no second effect.
 *
 * @param fingerprint a digest of the call and its body: the same id with another one is refused
 * @param encode the answer as it is kept; must hold no secret
 * @param decode the kept answer as it is given again
 * @param settles whether the answer is kept for as long as that of an effect, even one that was
 *     given before and had none: whatever else is under way under the id must not have one later
 */
public record IdempotentRequest<R>(
    RequestId id,
    long fingerprint,
    Function<R, byte[]> encode,
    Function<byte[], R> decode,
    boolean settles) {
  public IdempotentRequest(
      RequestId id, long fingerprint, Function<R, byte[]> encode, Function<byte[], R> decode) {
    this(id, fingerprint, encode, decode, false);
  }

  public IdempotentRequest<R> settling() {
    return new IdempotentRequest<>(id, fingerprint, encode, decode, true);
  }
}
