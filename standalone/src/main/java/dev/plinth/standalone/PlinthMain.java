package dev.plinth.standalone;

import dev.plinth.machine.Machine;
import dev.plinth.ratelimit.envoy.ImportEnvoyCommand;
import dev.plinth.server.Launcher;
import dev.plinth.server.RunningProcess;
import dev.plinth.server.Version;
import dev.plinth.server.log.LoggingSetup;
import dev.plinth.server.settings.Settings;
import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.List;

/** The {@code plinth} command. */
public final class PlinthMain {
  private PlinthMain() {}

  public static void main(String[] args) {
    if (args.length > 0 && args[0].equals(ImportEnvoyCommand.NAME)) {
      List<String> rest = List.of(args).subList(1, args.length);
      System.exit(ImportEnvoyCommand.run(rest, System.out, System.err));
    }
    new Launcher<>("plinth", PlinthSettings.class, PlinthMain::start)
        .command(
            ImportEnvoyCommand.NAME + " [--target=host:port] FILE...",
            "policies from the configuration of Envoy's reference rate limit service")
        .main(args, System.getenv());
  }

  private static RunningProcess start(Settings<PlinthSettings> settings) {
    LoggingSetup.install(settings.value().host().log(), Machine.system().nanos());
    System.Logger log = System.getLogger("plinth.main");
    settings.printGiven().lines().forEach(line -> log.log(Level.INFO, "setting" + line));
    PlinthServer plinthServer = PlinthServer.start(settings.value());
    log.log(
        Level.INFO,
        "plinth %s is ready after %d ms: %s; try: grpcurl -plaintext localhost:%d list"
            .formatted(
                Version.current(),
                ManagementFactory.getRuntimeMXBean().getUptime(),
                plinthServer.summary(),
                plinthServer.port()));
    return plinthServer;
  }
}
