/** Calls as a test makes them: any request by its type, what a stream says, why one is refused. */
package dev.plinth.testkit.call;
