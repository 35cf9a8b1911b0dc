/** Calls of gRPC services as commands to shards. */
package dev.plinth.shards.grpc;
