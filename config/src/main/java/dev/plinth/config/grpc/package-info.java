/** The calls of the service and their messages. */
package dev.plinth.config.grpc;
