/** The real etcd adapter of nodes, over the model of etcd. */
package dev.plinth.simulation.store.etcd;
