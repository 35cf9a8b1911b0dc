/** The Java client: leases that are kept alive, known by their token, and given up in time. */
package dev.plinth.client;
