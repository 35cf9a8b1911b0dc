/** Leases with fencing tokens. */
package dev.plinth.lease;
