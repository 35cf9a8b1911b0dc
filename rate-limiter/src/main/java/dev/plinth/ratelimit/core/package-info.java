/** Limits, the budgets they give and what is done to them: no gRPC, no engine. */
package dev.plinth.ratelimit.core;
