package dev.plinth.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.plinth.machine.Machine;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;

/**
 * Plain HTTP for probes and Prometheus. It only reads; nothing here changes the process. A client
 * that sends half a request, or does not read its answer, is cut off after some seconds: each keeps
 * a thread from those who ask whether the process lives.
 */
final class AdminHttp implements AutoCloseable {
  static {
    limit("sun.net.httpserver.maxReqTime", "5");
    limit("sun.net.httpserver.maxRspTime", "20");
  }

  private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  private static final int THREADS = 8;

  private record Page(int code, String type, String body) {}

  private final HttpServer server;
  // Several, so that a slow scrape does not hold up a probe.
  private final ExecutorService threads;
  private final Metrics metrics;
  private final HealthMonitor healthMonitor;

  AdminHttp(
      InetSocketAddress address, Metrics metrics, HealthMonitor healthMonitor, Machine machine)
      throws IOException {
    this.metrics = metrics;
    this.healthMonitor = healthMonitor;
    server = HttpServer.create(address, 0);
    threads = machine.workers("plinth-admin", THREADS);
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, page(exchange)));
    server.start();
  }

  /** The JDK's server has no other way to be told; an operator may have. */
  private static void limit(String property, String seconds) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, seconds);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  private Page page(HttpExchange exchange) {
    if (!exchange.getRequestMethod().equals("GET") && !exchange.getRequestMethod().equals("HEAD")) {
      return new Page(405, TEXT, "only GET and HEAD\n");
    }
    return switch (exchange.getRequestURI().getPath()) {
      case "/metrics" -> new Page(200, PROMETHEUS_TEXT, metrics.scrape());
      case "/livez" -> new Page(200, TEXT, "live\n");
      case "/readyz" -> readiness();
      case "/" -> new Page(200, TEXT, "/metrics\n/livez\n/readyz\n");
      default -> new Page(404, TEXT, "not here; try /metrics, /livez or /readyz\n");
    };
  }

  private Page readiness() {
    if (healthMonitor.isServing()) {
      return new Page(200, TEXT, "ready\n");
    }
    String why =
        healthMonitor.engines().stream()
            .filter(HealthMonitor.EngineReport::isInTheWay)
            .map(report -> report.engine().name() + ": " + report.trouble().get() + "\n")
            .collect(Collectors.joining());
    return new Page(503, TEXT, healthMonitor.isDraining() ? "draining\n" : why);
  }

  private static void answer(HttpExchange exchange, Page page) throws IOException {
    byte[] body = page.body.getBytes(StandardCharsets.UTF_8);
    boolean bodyWanted = !exchange.getRequestMethod().equals("HEAD");
    exchange.getResponseHeaders().set("Content-Type", page.type);
    exchange.sendResponseHeaders(page.code, bodyWanted ? body.length : -1);
    if (bodyWanted) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
