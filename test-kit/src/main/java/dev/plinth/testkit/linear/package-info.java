/** Whether a history can be put in an order in which a sequential model would have answered so. */
package dev.plinth.testkit.linear;
