package dev.plinth.client.election;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.plinth.client.internal.ClientEvents;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ObserveResponse;
import dev.plinth.lease.v1.ObserveResponse.Gap;
import dev.plinth.lease.v1.ObserveResponse.NoLeader;
import dev.plinth.lease.v1.ObserveResponse.Progress;
import dev.plinth.lease.v1.ObserveResponse.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LeaderEventFilterTest {
  private final Heard heard = new Heard();
  private final LeaderEventFilter log =
      new LeaderEventFilter(heard, Runnable::run, ClientEvents.NONE);

  @Test
  void terms_areToldInOrder_withTheirValues() {
    take(snapshot(0, null), "1");
    take(leader(1, "a"), "2");
    take(value(1, "b"), "3");
    take(noLeader(1), "");
    take(leader(2, "c"), "4");
    assertEquals(List.of("none 0", "leader 1 a", "value 1 b", "none 1", "leader 2 c"), heard.calls);
    assertEquals("4", log.resumeToken());
  }

  /**
   * Only the last message of a commit has a token, so a break before it brings the commit again.
   */
  @Test
  void commitSaidAgainAfterABreak_isToldOnce() {
    take(snapshot(1, "a"), "1");
    take(noLeader(1), "");
    assertEquals("1", log.resumeToken());
    take(noLeader(1), "");
    take(leader(2, "b"), "2");
    assertEquals(List.of("leader 1 a", "none 1", "leader 2 b"), heard.calls);
  }

  /** As after a restore of the server's store from an older backup. */
  @Test
  void snapshotWithALowerToken_isAGap_andCounted() {
    AtomicInteger counted = new AtomicInteger();
    ClientEvents events =
        new ClientEvents() {
          @Override
          public void tokenWentBack() {
            counted.incrementAndGet();
          }
        };
    LeaderEventFilter back = new LeaderEventFilter(heard, Runnable::run, events);
    Leader second = Leader.newBuilder().setTerm(2).setToken(20).build();
    Leader first = Leader.newBuilder().setTerm(1).setToken(10).build();
    back.take(ObserveResponse.newBuilder().setLeader(second).setResumeToken("1").build());
    back.take(ObserveResponse.newBuilder().setSnapshot(snapshotOf(second)).build());
    assertEquals(0, counted.get());
    back.take(ObserveResponse.newBuilder().setSnapshot(snapshotOf(first)).build());
    assertEquals(1, counted.get());
    assertEquals(List.of("leader 2 ", "gap"), heard.calls);
  }

  private static Snapshot snapshotOf(Leader leader) {
    return Snapshot.newBuilder().setTerm(leader.getTerm()).setLeader(leader).build();
  }

  @Test
  void gap_isTold_andTheSnapshotAfterIt_onlyAsFarAsItIsNew() {
    take(leader(3, "a"), "1");
    take(gap(), "9");
    assertEquals("", log.resumeToken()); // a break here must bring the snapshot, not skip it
    take(snapshot(3, "b"), "9");
    take(gap(), "20");
    take(snapshot(7, "z"), "20");
    take(gap(), "30");
    take(snapshot(9, null), "30");
    assertEquals(
        List.of("leader 3 a", "gap", "value 3 b", "gap", "none 3", "leader 7 z", "gap", "none 9"),
        heard.calls);
  }

  @Test
  void progress_onlyMovesTheToken() {
    take(snapshot(1, "a"), "1");
    take(progress(), "5");
    assertEquals(List.of("leader 1 a"), heard.calls);
    assertEquals("5", log.resumeToken());
  }

  /** Streams that break after any message and resume from the last token, as the server does. */
  @Test
  void V14_anyBreaks_sayWhatAnUnbrokenStreamSays() {
    Random random = new Random(14);
    for (int run = 0; run < 500; run++) {
      List<List<ObserveResponse.Builder>> commits = commits(random);
      Heard whole = new Heard();
      LeaderEventFilter unbroken = new LeaderEventFilter(whole, Runnable::run, ClientEvents.NONE);
      play(commits, unbroken, 0, Integer.MAX_VALUE);
      Heard parts = new Heard();
      LeaderEventFilter broken = new LeaderEventFilter(parts, Runnable::run, ClientEvents.NONE);
      int from = 0;
      while (from < commits.size()) {
        play(commits, broken, from, 1 + random.nextInt(4));
        from = broken.resumeToken().isEmpty() ? 0 : Integer.parseInt(broken.resumeToken());
      }
      assertEquals(whole.calls, parts.calls, "run " + run);
    }
  }

  private static void play(
      List<List<ObserveResponse.Builder>> commits, LeaderEventFilter to, int from, int messages) {
    int left = messages;
    for (int i = from; i < commits.size(); i++) {
      List<ObserveResponse.Builder> commit = commits.get(i);
      for (int m = 0; m < commit.size(); m++) {
        if (left-- == 0) {
          return;
        }
        boolean last = m == commit.size() - 1;
        to.take(commit.get(m).clone().setResumeToken(last ? "" + (i + 1) : "").build());
      }
    }
  }

  private static List<List<ObserveResponse.Builder>> commits(Random random) {
    List<List<ObserveResponse.Builder>> commits = new ArrayList<>();
    commits.add(List.of(snapshot(0, null)));
    long term = 0;
    boolean leads = false;
    for (int i = 0; i < 30; i++) {
      if (leads && random.nextInt(3) == 0) {
        commits.add(List.of(value(term, "v" + i)));
      } else if (leads && random.nextBoolean()) {
        commits.add(
            List.of(noLeader(term), leader(++term, "x"), noLeader(term), leader(++term, "y" + i)));
      } else {
        commits.add(List.of(leads ? noLeader(term) : leader(++term, "y" + i)));
        leads = !leads;
      }
    }
    return commits;
  }

  private void take(ObserveResponse.Builder message, String token) {
    log.take(message.setResumeToken(token).build());
  }

  private static ObserveResponse.Builder snapshot(long term, String value) {
    Snapshot.Builder snapshot = Snapshot.newBuilder().setTerm(term);
    if (value != null) {
      snapshot.setLeader(of(term, value));
    }
    return ObserveResponse.newBuilder().setSnapshot(snapshot);
  }

  private static ObserveResponse.Builder leader(long term, String value) {
    return ObserveResponse.newBuilder().setLeader(of(term, value));
  }

  private static ObserveResponse.Builder value(long term, String value) {
    return ObserveResponse.newBuilder().setValue(of(term, value));
  }

  private static ObserveResponse.Builder noLeader(long term) {
    return ObserveResponse.newBuilder().setNoLeader(NoLeader.newBuilder().setTerm(term));
  }

  private static ObserveResponse.Builder gap() {
    return ObserveResponse.newBuilder().setGap(Gap.getDefaultInstance());
  }

  private static ObserveResponse.Builder progress() {
    return ObserveResponse.newBuilder().setProgress(Progress.getDefaultInstance());
  }

  private static Leader of(long term, String value) {
    return Leader.newBuilder().setTerm(term).setValue(ByteString.copyFromUtf8(value)).build();
  }

  private static final class Heard implements LeaderListener {
    final List<String> calls = new ArrayList<>();

    @Override
    public void onLeader(Leader leader) {
      calls.add("leader " + leader.getTerm() + " " + leader.getValue().toStringUtf8());
    }

    @Override
    public void onNoLeader(long term) {
      calls.add("none " + term);
    }

    @Override
    public void onValue(Leader leader) {
      calls.add("value " + leader.getTerm() + " " + leader.getValue().toStringUtf8());
    }

    @Override
    public void onGap() {
      calls.add("gap");
    }
  }
}
