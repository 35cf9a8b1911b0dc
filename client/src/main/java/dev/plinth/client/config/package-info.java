/**
 * Configuration in memory: kept up to date by the server, validated before it is used, and there
 * when the server is not.
 */
package dev.plinth.client.config;
