/** Leases beside the naive way on the same etcd. */
package dev.plinth.bench.lease;
