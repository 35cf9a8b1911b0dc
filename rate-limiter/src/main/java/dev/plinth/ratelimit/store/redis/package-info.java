/** Budgets in Redis: one script per batch, on connections that never send anything twice. */
package dev.plinth.ratelimit.store.redis;
