/**
 * Members of groups at the registry: this process as one of them, who else is there, and channels
 * that spread calls over them.
 */
package dev.plinth.client.member;
