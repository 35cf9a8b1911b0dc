/** Members that beat and watchers of them, beside etcd's leases and Curator's service discovery. */
package dev.plinth.bench.registry;
