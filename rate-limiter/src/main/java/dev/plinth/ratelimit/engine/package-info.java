/** The arithmetic of budgets in memory: no threads, no store. */
package dev.plinth.ratelimit.engine;
