/** Leases beside the naive way on the same etcd, Curator and Redisson. */
package dev.plinth.bench.lease;
