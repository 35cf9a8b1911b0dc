/**
 * Rate limits as a caller meets them: answered from budget in hand where it can be, and by the
 * service where it must; and at a gRPC server's door.
 */
package dev.plinth.client.limit;
