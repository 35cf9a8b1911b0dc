/** From a check to a decision: memory, flush queues, the store, fail modes. */
package dev.plinth.ratelimit.pipeline;
