package dev.plinth.shards.request;

/**
 * An answer that was given, with the fingerprint of its request.
 *
 * @param bytes null if they were too many to be kept
 */
record RememberedAnswer(long fingerprint, byte[] bytes) {}
