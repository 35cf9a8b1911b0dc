/** Budgets in the memory of one process, checkpointed to RocksDB. */
package dev.plinth.ratelimit.store.embedded;
