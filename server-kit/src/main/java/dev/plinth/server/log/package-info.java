/** Log lines: one a record, for a terminal or as JSON. */
package dev.plinth.server.log;
