/**
 * What only the client itself uses: calls with their retries, the event loop, clocks, metrics. Its
 * types are public for the client's other packages. Not for applications: it changes as the client
 * does.
 */
package dev.plinth.client.internal;
