/** Faults that are put back into product code, one alone, to show that the simulation finds it. */
package dev.plinth.simulation.plant;
