/** What was given out of each namespace, and what may be: decided on memory, block by block. */
package dev.plinth.id.core;
