/** The registry on the wire. */
package dev.plinth.registry.grpc;
