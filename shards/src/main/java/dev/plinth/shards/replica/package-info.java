/** Live copies of values that other nodes own. */
package dev.plinth.shards.replica;
