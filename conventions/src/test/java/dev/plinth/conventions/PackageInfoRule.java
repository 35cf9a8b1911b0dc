package dev.plinth.conventions;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Every package of main code says in a package-info what it is for. */
final class PackageInfoRule implements Rule {
  @Override
  public List<Violation> check(Repository repository) {
    Set<String> packages = new TreeSet<>();
    Set<String> described = new TreeSet<>();
    for (JavaFile file : repository.mainJava()) {
      String folder = file.path().substring(0, file.path().lastIndexOf('/'));
      packages.add(folder);
      if (file.path().endsWith("/package-info.java") && file.source().text().contains("/**")) {
        described.add(folder);
      }
    }
    packages.removeAll(described);
    return packages.stream()
        .map(folder -> new Violation(folder, "has no package-info.java with a Javadoc"))
        .toList();
  }
}
