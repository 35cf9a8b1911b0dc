/** Rules and policies as they are written and stored. */
package dev.plinth.ratelimit.policy;
