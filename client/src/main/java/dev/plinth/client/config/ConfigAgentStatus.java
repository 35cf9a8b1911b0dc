package dev.plinth.client.config;

import java.time.Duration;
import java.util.Map;

/**
 * How an agent is doing.
 *
 * @param ready the server has said once that there is nothing newer
 * @param age for how long the server has not said that
 * @param stale the age is above what was chosen
 * @param outOfOrder assignments that were older than what is here, and ignored
 * @param ignoredCacheGroups groups of the cache that were not valid, or not in order
 * @param rejections why a group was rejected last, by group; until a later one is applied
 */
public record ConfigAgentStatus(
    boolean ready,
    Duration age,
    boolean stale,
    long outOfOrder,
    int ignoredCacheGroups,
    Map<String, String> rejections) {}
