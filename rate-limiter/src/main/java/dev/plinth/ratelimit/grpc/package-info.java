/** Rate limits on the wire. */
package dev.plinth.ratelimit.grpc;
