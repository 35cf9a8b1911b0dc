/** Leases on the wire. */
package dev.plinth.lease.grpc;
