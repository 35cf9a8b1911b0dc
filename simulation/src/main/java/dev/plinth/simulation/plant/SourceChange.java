package dev.plinth.simulation.plant;

/**
 * One change of a source file.
 *
 * @param file its path from the root of the repository
 * @param find the text that is replaced; it has to be there exactly once
 */
public record SourceChange(String file, String find, String replace) {
  String apply(String source) {
    int at = source.indexOf(find);
    if (at < 0) {
      throw new StalePlantException(file + " does not have the text to find: " + find);
    }
    if (source.indexOf(find, at + 1) >= 0) {
      throw new StalePlantException(file + " has the text to find more than once: " + find);
    }
    return source.substring(0, at) + replace + source.substring(at + find.length());
  }
}
