package dev.plinth.testkit.engine;

import java.util.regex.Pattern;

/** A server ended or stayed silent while starting; the end of its log is part of the message. */
final class StartFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final Pattern PORT_TAKEN =
      Pattern.compile("address already in use|in use by another process", Pattern.CASE_INSENSITIVE);

  private final boolean portTaken;

  StartFailedException(String what, String log) {
    super(what + "; its log ends with:\n" + log.indent(4).stripTrailing());
    portTaken = PORT_TAKEN.matcher(log).find();
  }

  boolean portTaken() {
    return portTaken;
  }
}
