/**
 * What documents are made of: JSON, schemas and differences. Nothing here runs on a shard's loop.
 */
package dev.plinth.config.content;
