/** Clocks, threads, waiting and chance: what a process takes from the machine it runs on. */
package dev.plinth.machine;
