package dev.plinth.bench.limits;

import dev.plinth.bench.Load;
import dev.plinth.bench.Measured;
import java.io.EOFException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A process that asks: it gets jobs from the {@link Fleet}, and reports. */
final class Worker {
  private final Clients clients;

  private Worker(Clients clients) {
    this.clients = clients;
  }

  /** Redis, Plinth and the fleet's port. */
  public static void main(String[] args) throws Exception {
    Worker worker = new Worker(new Clients(args[0], args[1]));
    try (Socket fleet = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[2]));
        ObjectOutputStream out = new ObjectOutputStream(fleet.getOutputStream());
        ObjectInputStream in = new ObjectInputStream(fleet.getInputStream())) {
      out.flush();
      while (true) {
        worker.serve((Job) in.readObject(), in, out);
      }
    } catch (EOFException e) {
      System.exit(0); // no more jobs
    } catch (Throwable e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private void serve(Job job, ObjectInputStream in, ObjectOutputStream out) throws Exception {
    Contestant contestant = job.entry().open(clients, job.what());
    if (in.readBoolean()) {
      contestant.define();
    }
    out.writeBoolean(true);
    out.flush();
    in.readBoolean(); // the others are ready too
    Report report = run(job, contestant);
    contestant.close();
    out.writeObject(report);
    out.reset();
    out.flush();
  }

  private static Report run(Job job, Contestant contestant) throws Exception {
    List<Caller> callers = new ArrayList<>();
    int seed = (int) ProcessHandle.current().pid();
    for (int i = 0; i < job.threads(); i++) {
      callers.add(new Caller(contestant, job.what().keys(), seed * 100 + i));
    }
    Instant started = Instant.now();
    Measured measured = Load.ofThreads(job.threads(), job.times(), callers::get);
    Instant ended = Instant.now();
    long[] admitted = new long[job.what().keys().count()];
    callers.forEach(caller -> caller.addTo(admitted));
    return new Report(measured, started, ended, admitted);
  }

  /** One thread. */
  private static final class Caller implements Load.Operation {
    /** Keeps what threads count out of each other's cache lines. */
    private static final int APART = 32;

    private final Contestant contestant;
    private final int[] draws;
    private final int[] admitted;
    private int at;

    Caller(Contestant contestant, Keys keys, int seed) {
      this.contestant = contestant;
      draws = keys.draws(seed);
      admitted = new int[keys.count() + 2 * APART];
    }

    @Override
    public long run() throws Exception {
      int key = draws[at++ & (Keys.DRAWS - 1)];
      if (contestant.tryAcquire(key)) {
        admitted[APART + key]++;
      }
      return 1;
    }

    void addTo(long[] sums) {
      for (int key = 0; key < sums.length; key++) {
        sums[key] += admitted[APART + key];
      }
    }
  }
}
