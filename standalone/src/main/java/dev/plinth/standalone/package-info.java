/** The one command: every service in one process, on embedded engines unless told otherwise. */
package dev.plinth.standalone;
