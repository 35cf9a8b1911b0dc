/** Members of groups and the sessions they live by, in one shard; no gRPC and no threads. */
package dev.plinth.registry.core;
