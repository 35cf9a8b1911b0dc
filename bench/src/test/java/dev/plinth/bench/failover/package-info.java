/** How long calls wait when a node dies or leaves, beside etcd and ZooKeeper. */
package dev.plinth.bench.failover;
