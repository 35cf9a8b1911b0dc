/**
 * Sessions at the server, and what the client knows of the leases under them. Not for applications:
 * it changes as the client does.
 */
package dev.plinth.client.internal.session;
