/**
 * Fenced single-writer shards: many small keys, each decided by one owner at a time.
 *
 * <ul>
 *   <li>What a service uses: {@code Shards}, {@code ShardApp}, {@code Command}, {@code Tx}, {@code
 *       Reply}, {@code StreamReply}, {@code Watcher}, {@code Event}, {@code IdempotentRequest}.
 *   <li>One shard: {@code Shard} with its {@code AppStates}, {@code ShardTimers}, {@code
 *       CommitPipeline} and {@code WatchHub}; {@code ShardTx} gathers what one command does.
 *   <li>Who runs it: {@code ShardLoop} the work of some shards, {@code ShardSlot} the place of each
 *       on this node.
 *   <li>Where it is served: {@code Placement} by the plan of {@code PlacementPlanner}, {@code
 *       ShardRouter} for calls, {@code RollbackDetector} and {@code RefusedShards} for stores that
 *       must not be served.
 * </ul>
 *
 * <p>Answers that are remembered by request id have a package of their own; the rest stays in one,
 * since a shard, its loop and its placement work on each other's package-private state, and apart
 * most of it would be public.
 */
package dev.plinth.shards;
