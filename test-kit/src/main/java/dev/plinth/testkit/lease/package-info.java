/** What leases must do, as a model that histories of them are judged by. */
package dev.plinth.testkit.lease;
