package dev.plinth.bench.limits;

import dev.plinth.testkit.JavaProcess;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The processes that ask. They live through all runs, so that their code is warm. */
final class Fleet implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 120_000;

  private record Line(Socket socket, ObjectOutputStream out, ObjectInputStream in) {}

  private final List<JavaProcess> processes = new ArrayList<>();
  private final List<Line> lines = new ArrayList<>();

  Fleet(Path directory, int size, String redis, String plinth) throws IOException {
    try (ServerSocket server = new ServerSocket(0, size, InetAddress.getLoopbackAddress())) {
      server.setSoTimeout(PATIENCE_MILLIS);
      String port = String.valueOf(server.getLocalPort());
      for (int i = 0; i < size; i++) {
        processes.add(JavaProcess.start(directory, Worker.class, redis, plinth, port));
      }
      for (int i = 0; i < size; i++) {
        Socket socket = server.accept();
        socket.setSoTimeout(PATIENCE_MILLIS);
        ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
        out.flush();
        lines.add(new Line(socket, out, new ObjectInputStream(socket.getInputStream())));
      }
    } catch (IOException e) {
      close();
      throw failed(e);
    }
  }

  /** In the first so many processes at once; {@code onReady} runs just before they start. */
  Report run(Job job, int size, Runnable onReady) {
    List<Line> chosen = lines.subList(0, size);
    try {
      for (Line line : chosen) {
        line.out.writeObject(job);
        line.out.writeBoolean(line == lines.get(0));
        line.out.reset();
        line.out.flush();
      }
      for (Line line : chosen) {
        line.in.readBoolean();
      }
      onReady.run();
      for (Line line : chosen) {
        line.out.writeBoolean(true);
        line.out.flush();
      }
      List<Report> reports = new ArrayList<>();
      for (Line line : chosen) {
        reports.add((Report) line.in.readObject());
      }
      return Report.together(reports);
    } catch (IOException | ClassNotFoundException e) {
      throw failed(new IOException(job.toString(), e));
    }
  }

  private IllegalStateException failed(IOException cause) {
    StringBuilder said = new StringBuilder("a process failed; they said:\n");
    processes.forEach(process -> said.append(process.output()).append('\n'));
    return new IllegalStateException(said.toString(), cause);
  }

  @Override
  public void close() {
    processes.forEach(JavaProcess::close);
    for (Line line : lines) {
      try {
        line.socket.close();
      } catch (IOException e) {
        // The process at its other end is gone already.
      }
    }
  }
}
