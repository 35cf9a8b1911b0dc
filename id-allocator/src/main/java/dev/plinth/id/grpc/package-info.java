/** Identifiers on the wire. */
package dev.plinth.id.grpc;
