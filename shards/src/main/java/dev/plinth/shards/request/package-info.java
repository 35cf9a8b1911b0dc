/**
 * The answers that a shard remembers by request id, in memory and in its rows, so that a request
 * sent again has no second effect.
 */
package dev.plinth.shards.request;
