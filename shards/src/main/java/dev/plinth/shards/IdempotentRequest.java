package dev.plinth.shards;

import java.util.function.Function;

/**
 * A mutation by the id its caller gave it, so that sent again it has no second effect.
 *
 * @param fingerprint a digest of the call and its body: the same id with another one is refused
 * @param encode the answer as it is kept; must hold no secret
 * @param decode the kept answer as it is given again
 */
public record IdempotentRequest<R>(
    RequestId id, long fingerprint, Function<R, byte[]> encode, Function<byte[], R> decode) {}
