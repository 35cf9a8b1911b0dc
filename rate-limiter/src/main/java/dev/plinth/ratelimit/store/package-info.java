/** The port behind which budgets are kept, and its vocabulary. */
package dev.plinth.ratelimit.store;
