/** Real etcd, Redis and Cassandra servers for tests, which a test may kill, pause and restart. */
package dev.plinth.testkit.engine;
