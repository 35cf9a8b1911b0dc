/**
 * What the limiter means, as plainly as it can be said: exact fractions, one check at a time, no
 * formula but how much is available. It shares no code with the engine.
 */
package dev.plinth.ratelimit.model;
