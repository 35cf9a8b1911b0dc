/** Shard rows in RocksDB, for one process. */
package dev.plinth.shards.store.embedded;
