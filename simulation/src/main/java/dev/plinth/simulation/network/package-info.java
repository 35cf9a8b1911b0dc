/** gRPC between simulated processes: calls as events, over links that can fail. */
package dev.plinth.simulation.network;
