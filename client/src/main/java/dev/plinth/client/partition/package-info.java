/**
 * Partitions that the members of a group share: each belongs to one member at a time, under a token
 * that fences writes.
 */
package dev.plinth.client.partition;
