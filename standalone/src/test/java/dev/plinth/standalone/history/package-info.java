/** Clients, servers and faults at random, and what the checkers say of it all. */
package dev.plinth.standalone.history;
