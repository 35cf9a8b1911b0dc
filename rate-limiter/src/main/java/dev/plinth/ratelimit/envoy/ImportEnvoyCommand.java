package dev.plinth.ratelimit.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.plinth.ratelimit.v1.Policy;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The command {@code import-envoy}: policies from the reference service's configuration, printed or
 * put. Nothing is put unless all files can be read. Exit codes: 0, 1 if a server refused or did not
 * answer, 2 for files or arguments that cannot be used.
 */
public final class ImportEnvoyCommand {
  public static final String NAME = "import-envoy";
  private static final int PUT_SECONDS = 10;
  private static final String USAGE =
      """
      usage: plinth import-envoy [--target=host:port] [--merge-domains] FILE...

      Reads the configuration of Envoy's reference rate limit service and prints a policy for each
      domain, as PutPolicy takes it, or puts it.

        --target=host:port   put the policies at this server; those of other domains stay
        --merge-domains      files may share a domain
      """;

  private final PrintStream out;
  private final PrintStream err;
  private final List<Path> files = new ArrayList<>();
  private String target = "";
  private boolean merge;

  private ImportEnvoyCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** The exit code. */
  public static int run(List<String> args, PrintStream out, PrintStream err) {
    return new ImportEnvoyCommand(out, err).run(args);
  }

  private int run(List<String> args) {
    if (args.contains("--help")) {
      out.print(USAGE);
      return 0;
    }
    if (!isRead(args)) {
      err.print(USAGE);
      return 2;
    }
    List<PutPolicyRequest> policies;
    try {
      EnvoyConfig config = new EnvoyConfig(merge);
      for (Path file : files) {
        config.add(file.toString(), Files.readString(file));
      }
      policies = config.policies();
      config.notes().forEach(err::println);
    } catch (EnvoyConfigException e) {
      err.println(e.getMessage());
      return 2;
    } catch (IOException e) {
      err.println("cannot read " + e.getMessage());
      return 2;
    }
    return target.isEmpty() ? print(policies) : put(policies);
  }

  private boolean isRead(List<String> args) {
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      if (arg.equals("--merge-domains")) {
        merge = true;
      } else if (arg.equals("--target") && i + 1 < args.size()) {
        target = args.get(++i);
      } else if (arg.startsWith("--target=")) {
        target = arg.substring("--target=".length());
      } else if (arg.startsWith("-")) {
        err.println(arg + " (expected: --target or --merge-domains)");
        return false;
      } else {
        files.add(Path.of(arg));
      }
    }
    return !files.isEmpty();
  }

  private int print(List<PutPolicyRequest> policies) {
    for (PutPolicyRequest policy : policies) {
      try {
        out.println(JsonFormat.printer().print(policy));
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e); // only an Any of an unknown type is no JSON
      }
    }
    return 0;
  }

  private int put(List<PutPolicyRequest> policies) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    try {
      for (PutPolicyRequest put : policies) {
        Policy policy =
            RateLimitServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PUT_SECONDS, TimeUnit.SECONDS)
                .putPolicy(put)
                .getPolicy();
        out.println(
            "put the policy of %s: version %d, %d rules"
                .formatted(policy.getDomain(), policy.getVersion(), policy.getRulesCount()));
      }
      return 0;
    } catch (StatusRuntimeException e) {
      err.println("cannot put at " + target + ": " + e.getMessage());
      return 1;
    } finally {
      channel.shutdownNow();
    }
  }
}
