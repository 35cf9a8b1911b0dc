/** Elections: one leader at a time, out of candidates that wait in a queue. */
package dev.plinth.client.election;
