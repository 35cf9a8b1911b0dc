/** The service that keeps configuration and brings it to agents. */
package dev.plinth.config;
