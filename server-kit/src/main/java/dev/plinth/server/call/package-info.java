/** What wraps every call: its deadline, its context for logs, its failures. */
package dev.plinth.server.call;
