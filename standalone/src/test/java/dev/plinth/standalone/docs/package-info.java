/**
 * Runs the commands and the Java snippets of the README and the tours, and compares the answers.
 */
package dev.plinth.standalone.docs;
