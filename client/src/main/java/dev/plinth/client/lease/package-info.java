/** Leases: keys that one client, or a few, hold for a time, under tokens that fence writes. */
package dev.plinth.client.lease;
