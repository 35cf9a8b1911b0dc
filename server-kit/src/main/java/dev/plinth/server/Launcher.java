package dev.plinth.server;

import dev.plinth.server.log.DrainSafeLogManager;
import dev.plinth.server.settings.Settings;
import dev.plinth.server.settings.SettingsRefusedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What every main does: answers {@code --help} and its like, reads the settings, starts the process
 * and ends it when SIGTERM or Ctrl-C asks. Exit codes: 0 after a clean end, 1 if it could not start
 * or did not end in time, 2 for settings that cannot be used.
 */
public final class Launcher<S extends Record> {
  private final String program;
  private final Class<S> type;
  private final Function<Settings<S>, RunningProcess> start;
  private String commands = "";

  public Launcher(String program, Class<S> type, Function<Settings<S>, RunningProcess> start) {
    this.program = program;
    this.type = type;
    this.start = start;
  }

  /** Tells of something else that the program can do, in its help. */
  public Launcher<S> command(String usage, String meaning) {
    commands += "       %s %s%n           %s%n".formatted(program, usage, meaning);
    return this;
  }

  /** Runs until a signal ends the process; returns only if there was nothing to run. */
  public void main(String[] args, Map<String, String> env) {
    // By name and before the first logger: initialising the class would make the JDK's manager.
    System.setProperty("java.util.logging.manager", DrainSafeLogManager.class.getName());
    System.exit(run(List.of(args), env));
  }

  private int run(List<String> args, Map<String, String> env) {
    if (args.contains("--help")) {
      System.out.print(help());
      return 0;
    }
    if (args.contains("--version")) {
      System.out.println(program + " " + Version.current());
      return 0;
    }
    if (args.contains("--print-example")) {
      System.out.print(Settings.example(type));
      return 0;
    }
    try {
      boolean print = args.contains("--print-config");
      List<String> flags = args.stream().filter(arg -> !arg.equals("--print-config")).toList();
      Settings<S> settings = Settings.read(type, flags, env);
      if (print) {
        System.out.print(settings.print());
        return 0;
      }
      serve(settings);
      return 0;
    } catch (SettingsRefusedException e) {
      return refuse(2, e.getMessage() + "\n" + program + " --help lists every setting.");
    } catch (StartRefusedException e) {
      return refuse(1, e.getMessage());
    } catch (InterruptedException e) {
      return 1;
    }
  }

  private void serve(Settings<S> settings) throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    try (RunningProcess runningProcess = start.apply(settings)) {
      Thread hook = new Thread(() -> endBySignal(runningProcess, asked, ended), "plinth-end");
      Runtime.getRuntime().addShutdownHook(hook);
      asked.await();
    } finally {
      ended.countDown();
    }
    Thread.currentThread().join(); // the hook ends the process
  }

  /** The JVM would exit with 143 after SIGTERM; a clean end is a success and says so. */
  private static void endBySignal(
      RunningProcess runningProcess, CountDownLatch asked, CountDownLatch ended) {
    asked.countDown();
    boolean clean = false;
    try {
      clean = ended.await(runningProcess.closeAtMost().toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      // Nobody interrupts a hook; ending as unclean is all that is left.
    }
    System.err.flush();
    Runtime.getRuntime().halt(clean ? 0 : 1);
  }

  private int refuse(int code, String message) {
    System.err.println(program + ": cannot start");
    message.lines().forEach(line -> System.err.println("  " + line));
    return code;
  }

  private String help() {
    return """
    %s %s
    usage: %s [--key=value ...]
    %s
    A setting is taken from its flag, else from its environment variable (--drain.pause is
    PLINTH_DRAIN_PAUSE), else from the file that --config names, else it is the default.
    Durations: 200ms 15s 5m 1h 1d. Sizes: 64KiB 4MiB.

      --help           this text
      --version        the version
      --print-config   every setting with its value and origin, then exit
      --print-example  a properties file with every setting at its default, then exit

    %s\
    """
        .formatted(program, Version.current(), program, commands, Settings.help(type));
  }
}
