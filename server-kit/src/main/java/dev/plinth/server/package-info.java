/**
 * What every Plinth process is built from: the host of its services, their health, start and end.
 */
package dev.plinth.server;
