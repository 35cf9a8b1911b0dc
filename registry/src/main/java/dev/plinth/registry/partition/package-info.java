/**
 * Partitions that the members of a group share: who owns which, by which token, and who is to let
 * go. A partition has a next owner only after the last one let go of it or ended; what is decided
 * is durable before anybody is told, and a new owner of the shard goes on from the rows.
 */
package dev.plinth.registry.partition;
