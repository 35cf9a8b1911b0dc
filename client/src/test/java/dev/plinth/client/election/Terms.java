package dev.plinth.client.election;

import dev.plinth.lease.v1.Leader;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a listener heard of an election, without values. */
final class Terms implements LeaderListener {
  final List<String> heard = new CopyOnWriteArrayList<>();
  final List<String> values = new CopyOnWriteArrayList<>();
  final List<String> gaps = new CopyOnWriteArrayList<>();

  @Override
  public void onLeader(Leader leader) {
    heard.add("leader " + leader.getTerm());
    values.add(leader.getValue().toStringUtf8());
  }

  @Override
  public void onNoLeader(long term) {
    heard.add("none " + term);
  }

  @Override
  public void onValue(Leader leader) {
    values.add(leader.getValue().toStringUtf8());
  }

  @Override
  public void onGap() {
    gaps.add("gap");
  }
}
