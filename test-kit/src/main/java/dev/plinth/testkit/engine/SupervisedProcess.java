package dev.plinth.testkit.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A server process that cannot outlive this JVM. Between the two stands a shell that starts and
 * signals the server as it reads on its standard input, and that kills the server and deletes its
 * folder when the input ends: on close, and also when this JVM is killed in whatever way, since the
 * pipe ends with it. The shell being the server's parent, a signal never hits another process that
 * got its number.
 */
final class SupervisedProcess implements ServerController {
  private static final int TAIL = 4_000;

  /** Answers each line with the server's process id, or 0 when it is not running. */
  private static final String SHELL =
      """
      folder=$1
      shift
      cd "$folder" || exit
      trap : HUP INT TERM
      while read -r verb; do
        case $verb in
          START) "$@" </dev/null >>server.log 2>&1 & server=$! ;;
          KILL) kill -KILL "$server" && wait "$server" ;;
          STOP | CONT) kill -"$verb" "$server" ;;
        esac
        jobs >/dev/null # reaps a server that ended, or it would count as running
        kill -0 "$server" || server=
        echo "${server:-0}"
      done
      kill -KILL "$server" && wait "$server"
      cd / && rm -rf "$folder"
      """;

  private final Path directory;
  private final Process shell;

  /** Does not start the server yet; the leash owns the folder from here on. */
  SupervisedProcess(Path directory, Map<String, String> environment, List<String> command) {
    this.directory = directory;
    List<String> line = new ArrayList<>(List.of("sh", "-c", SHELL, "leash", directory.toString()));
    line.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    try {
      shell = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The server's process id, or 0 when it is not running. */
  synchronized long say(String verb) {
    try {
      shell.outputWriter().append(verb).append('\n').flush();
      String answer = shell.inputReader().readLine();
      if (answer == null) {
        throw new IOException("the leash on " + directory + " is gone");
      }
      return Long.parseLong(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void start() {
    say("START");
  }

  @Override
  public void kill() {
    say("KILL");
  }

  @Override
  public void pause() {
    say("STOP");
  }

  @Override
  public void resume() {
    say("CONT");
  }

  @Override
  public boolean alive() {
    return say("ASK") != 0;
  }

  @Override
  public OptionalLong pid() {
    long pid = say("ASK");
    return pid == 0 ? OptionalLong.empty() : OptionalLong.of(pid);
  }

  @Override
  public boolean controllable() {
    return true;
  }

  @Override
  public String logTail() {
    try {
      String log = Files.readString(directory.resolve("server.log"), StandardCharsets.ISO_8859_1);
      return log.substring(Math.max(0, log.length() - TAIL));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public synchronized void close() {
    try {
      shell.outputWriter().close();
      shell.waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
