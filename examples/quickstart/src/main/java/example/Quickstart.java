package example;

import com.google.protobuf.Duration;
import dev.plinth.client.lease.LeaseHandle;
import dev.plinth.client.PlinthClient;
import dev.plinth.client.id.RangeIdGenerator;
import dev.plinth.client.limit.Limiter;
import dev.plinth.id.v1.Definition;
import dev.plinth.id.v1.Format;
import dev.plinth.id.v1.IdServiceGrpc;
import dev.plinth.id.v1.PutNamespaceRequest;
import dev.plinth.ratelimit.v1.Algorithm;
import dev.plinth.ratelimit.v1.Match;
import dev.plinth.ratelimit.v1.PutPolicyRequest;
import dev.plinth.ratelimit.v1.RateLimitServiceGrpc;
import dev.plinth.ratelimit.v1.Rule;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Takes a lease, an id and a limit from a running server, and prints them. */
public final class Quickstart {
  private static final int REMINDERS = 5;

  private Quickstart() {}

  public static void main(String[] args) throws InterruptedException {
    String target = args.length > 0 ? args[0] : "localhost:7450";
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    try (PlinthClient plinth = PlinthClient.builder(channel).build()) {
      defineNamespaceAndPolicy(channel);
      sendInvoice(plinth);
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
  }

  /** Usually done once, by an operator. Doing it again changes nothing. */
  private static void defineNamespaceAndPolicy(ManagedChannel channel) {
    IdServiceGrpc.newBlockingStub(channel)
        .putNamespace(
            PutNamespaceRequest.newBuilder()
                .setNamespace("invoices")
                .setDefinition(Definition.newBuilder().setFormat(Format.FORMAT_DENSE))
                .build());
    RateLimitServiceGrpc.newBlockingStub(channel)
        .putPolicy(
            PutPolicyRequest.newBuilder()
                .setDomain("reminders")
                .addRules(
                    Rule.newBuilder()
                        .setName("per-invoice")
                        .addMatch(Match.newBuilder().setKey("invoice"))
                        .setAlgorithm(Algorithm.ALGORITHM_TOKEN_BUCKET)
                        .setLimit(3)
                        .setPeriod(Duration.newBuilder().setSeconds(86_400)))
                .build());
  }

  private static void sendInvoice(PlinthClient plinth) throws InterruptedException {
    try (LeaseHandle lease =
            plinth.leases().acquire("invoices", java.time.Duration.ofSeconds(30)).orElseThrow();
        RangeIdGenerator invoices = plinth.ids().range("invoices")) {
      // The database refuses a token that is lower than one it has seen.
      System.out.println("lease " + lease.key() + ": token " + lease.requireHeld());

      long invoice = invoices.next();
      System.out.println("id: invoice " + invoice);

      Limiter reminders =
          plinth.limits().of("reminders", Map.of("invoice", Long.toString(invoice)));
      int sent = 0;
      for (int i = 0; i < REMINDERS; i++) {
        sent += reminders.tryAcquire() ? 1 : 0;
      }
      System.out.println("limit: " + sent + " of " + REMINDERS + " reminders may be sent");
    }
  }
}
