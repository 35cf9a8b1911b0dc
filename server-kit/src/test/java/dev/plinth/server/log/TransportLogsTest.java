package dev.plinth.server.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class TransportLogsTest {
  private static final String NETTY = "io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport";

  private final AtomicLong nanos = new AtomicLong();
  private final TransportLogs logs = new TransportLogs(nanos::get);

  @Test
  void brokenConnections_getOneLineASecond_withTheirNumberAndNoStack() {
    LogRecord first = line(NETTY, Level.INFO);
    assertTrue(logs.isLoggable(first));
    assertNull(first.getThrown());
    assertEquals("Transport failed: java.lang.IllegalStateException: HTTP/1.1", first.getMessage());
    for (int i = 0; i < 100; i++) {
      assertFalse(logs.isLoggable(line(NETTY, Level.INFO)));
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    LogRecord next = line(NETTY, Level.INFO);
    assertTrue(logs.isLoggable(next));
    assertTrue(next.getMessage().endsWith("(101 such events since the last line)"));
  }

  @Test
  void errorOfGrpc_keepsItsStack_onceASecond() {
    LogRecord first = line("io.grpc.internal.SerializingExecutor", Level.SEVERE);
    assertTrue(logs.isLoggable(first));
    assertNotNull(first.getThrown());
    assertFalse(logs.isLoggable(line("io.grpc.internal.SerializingExecutor", Level.SEVERE)));
  }

  @Test
  void ourOwnLines_passAsTheyAre() {
    for (int i = 0; i < 3; i++) {
      LogRecord line = line("plinth.host", Level.INFO);
      assertTrue(logs.isLoggable(line));
      assertNotNull(line.getThrown());
    }
  }

  private static LogRecord line(String logger, Level level) {
    LogRecord line = new LogRecord(level, "Transport failed");
    line.setLoggerName(logger);
    line.setThrown(new IllegalStateException("HTTP/1.1"));
    return line;
  }
}
