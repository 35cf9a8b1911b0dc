/** The Java client: leases and leadership, kept alive, known by their token, given up in time. */
package dev.plinth.client;
