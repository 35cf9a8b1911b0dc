/** The builds in {@code examples}, run with the artifacts that this build would publish. */
package dev.plinth.examples;
