/** Fenced single-writer shards: many small keys, each decided by one owner at a time. */
package dev.plinth.shards;
