/** Shard rows in etcd, for many nodes. */
package dev.plinth.shards.store.etcd;
