/** Failures with a defined answer, and that answer on the wire. */
package dev.plinth.server.failure;
