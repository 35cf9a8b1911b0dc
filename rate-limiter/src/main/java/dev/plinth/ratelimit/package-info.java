/** Rate limits and budgets: the service, its wiring and its meters. */
package dev.plinth.ratelimit;
