/** The port to the engine that keeps the rows of shards and says who owns them. */
package dev.plinth.shards.store;
