/** Documents, rollouts and agents of one shard, decided by its single writer. */
package dev.plinth.config.core;
