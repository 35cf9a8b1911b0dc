/** Identifiers that never repeat. */
package dev.plinth.id;
