/**
 * What tests share: time that moves by hand, a host without a network, a network that fails,
 * histories.
 */
package dev.plinth.testkit;
