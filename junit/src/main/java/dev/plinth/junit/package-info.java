/**
 * For tests of code that uses Plinth: its services in the test's process, and the time they see.
 */
package dev.plinth.junit;
