/** Ids made offline, leased from a store, and fetched one call at a time. */
package dev.plinth.bench.ids;
