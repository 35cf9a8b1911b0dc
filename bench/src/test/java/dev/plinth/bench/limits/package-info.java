/** Rate limits on one Redis, asked by one process and by several. */
package dev.plinth.bench.limits;
