/** Reads the configuration of Envoy's reference rate limit service, and makes policies of it. */
package dev.plinth.ratelimit.envoy;
