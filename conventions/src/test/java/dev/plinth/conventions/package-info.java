/**
 * What holds for the sources of every module. A {@link Rule} reads files and names what breaks it;
 * {@link RepositoryTest} applies all rules to the repository, and the test of each rule shows that
 * it fails on a file that breaks it.
 */
package dev.plinth.conventions;
