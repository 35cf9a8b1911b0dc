/** Identifiers without a call for each: from leased ranges, of leased worker ids, or offline. */
package dev.plinth.client.id;
