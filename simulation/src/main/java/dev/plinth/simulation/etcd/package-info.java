/**
 * A model of etcd 3.4 that answers etcd's own requests, and a network between it and its clients.
 * {@code EtcdDifferentialTest} holds the model to the real etcd.
 */
package dev.plinth.simulation.etcd;
