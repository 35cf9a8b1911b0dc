/** Typed settings from flags, environment and file, each value with its origin. */
package dev.plinth.server.settings;
