package dev.plinth.lease.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.plinth.shards.fixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ElectionsTest extends CoreTest {
  private static final LeaseName MAYOR = LeaseName.ofElection("default", "mayor");

  @Test
  void V14_terms_countEveryLeader_overTakeoversAndAnEmptyOffice() {
    List<Long> terms = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      LeaseView leader = granted(stand("c" + i));
      terms.add(leader.term());
      leases.release(MAYOR, leader.token(), tx);
      takeOver();
    }
    assertEquals(LongStream.rangeClosed(1, 5).boxed().toList(), terms);
    assertEquals(5, leases.term(MAYOR));
    List<String> told = changes().stream().map(e -> e.type() + " " + e.lease().term()).toList();
    assertEquals(List.of("GRANTED 1", "ENDED 1", "GRANTED 2"), told.subList(0, 3));
  }

  @Test
  void leaderThatStandsAgain_leadsUnderTheSameTermAndToken() {
    LeaseView first = granted(stand("ann"));
    AcquireResult.Reentered again =
        assertInstanceOf(AcquireResult.Reentered.class, stand("ann").answer);
    assertEquals(first.term(), again.lease().term());
    assertEquals(first.token(), again.lease().token());
    assertEquals(
        ReleaseResult.RELEASED, leases.release(MAYOR, first.token(), tx), "once is enough");
  }

  @Test
  void candidateThatStandsTwice_leadsOnce() {
    LeaseView ann = granted(stand("ann"));
    Answer<AcquireResult> first = stand("bob");
    Answer<AcquireResult> second = stand("bob");
    leases.release(MAYOR, ann.token(), tx.next());
    LeaseView bob = granted(first);
    assertInstanceOf(AcquireResult.Reentered.class, second.answer);
    assertEquals(ReleaseResult.RELEASED, leases.release(MAYOR, bob.token(), tx.next()));
  }

  @Test
  void handOver_goesToTheCandidateNamed_pastTheLine() {
    LeaseView ann = granted(stand("ann"));
    Answer<AcquireResult> bob = stand("bob");
    Answer<AcquireResult> cid = stand("cid");
    HandoverResult handoverResult = leases.handOver(MAYOR, ann.token(), "cid", tx);
    assertEquals("cid", handoverResult.lease().orElseThrow().ownerId());
    assertEquals(2, granted(cid).term());
    assertTrue(bob.isOpen());
    assertEquals(HandoverResult.NOT_HELD, leases.handOver(MAYOR, ann.token(), "bob", tx));
    assertEquals(HandoverResult.NOBODY, leases.handOver(MAYOR, granted(cid).token(), "zoe", tx));
  }

  @Test
  void handOver_isNotRefusedOverTheQuota() {
    LeaseView ann = granted(stand("ann"));
    Answer<AcquireResult> bob = stand("bob");
    NamespacePolicy one = NamespacePolicyTest.with(Map.of(Quota.LEASES, 1), List.of());
    granted(acquire("cid"));
    leases.setPolicy("default", one, Optional.empty(), tx);
    assertTrue(leases.handOver(MAYOR, ann.token(), "bob", tx).lease().isPresent());
    granted(bob);
  }

  @Test
  void leaderWhoseSessionEnds_isFollowedAtOnce() {
    String session = openSession("ann", Duration.ZERO);
    granted(acquire(wish("ann").session(session).key(MAYOR.key())));
    Answer<AcquireResult> bob = stand("bob");
    clock.advance(TTL);
    assertEquals(2, granted(bob).term());
  }

  private Answer<AcquireResult> stand(String candidate) {
    return acquire(wish(candidate).key(MAYOR.key()).waitForEver().ttl(LONG));
  }
}
