/** What every bench shares: the load loop, the pages it writes to, the server under load. */
package dev.plinth.bench;
