package dev.plinth.client.election;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.NamespaceSessions;
import dev.plinth.lease.v1.CampaignRequest;
import dev.plinth.lease.v1.Candidate;
import dev.plinth.lease.v1.ElectionServiceGrpc;
import dev.plinth.lease.v1.GetLeaderRequest;
import dev.plinth.lease.v1.GetLeaderResponse;
import dev.plinth.lease.v1.Leader;
import dev.plinth.lease.v1.ListCandidatesRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One leader at a time, out of candidates in a queue. */
public final class Election {
  private final String namespace;
  private final String name;
  private final ClientRuntime runtime;
  private final NamespaceSessions sessions;
  private final Map<String, Campaign> candidates;

  Election(
      String namespace,
      String name,
      ClientRuntime runtime,
      NamespaceSessions sessions,
      Map<String, Campaign> candidates) {
    this.namespace = namespace;
    this.name = name;
    this.runtime = runtime;
    this.sessions = sessions;
    this.candidates = candidates;
  }

  /**
   * Stands for election under this client's owner id.
   *
   * @param value what others read of the leader, such as its address
   */
  public Candidacy campaign(String value) throws InterruptedException {
    return campaign(CampaignOptions.defaults().value(value.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * Returns when it stands in the queue, or leads. One candidate can stand once.
   *
   * @throws CallFailedException if the server refused it or did not answer
   */
  public Candidacy campaign(CampaignOptions options) throws InterruptedException {
    CampaignRequest request =
        options.request(runtime.owner()).setNamespace(namespace).setElection(name).build();
    Campaign campaign = new Campaign(request, runtime, sessions, candidates);
    campaign.begin(runtime.deadline());
    return new Candidacy(request.getCandidateId(), campaign, runtime.environment());
  }

  /** Who leads now, if anybody; another may by the time this is read. */
  public Optional<Leader> leader() throws InterruptedException {
    GetLeaderRequest request =
        GetLeaderRequest.newBuilder().setNamespace(namespace).setElection(name).build();
    GetLeaderResponse answer =
        runtime
            .blockingCaller()
            .call(ElectionServiceGrpc.getGetLeaderMethod(), request, runtime.deadline());
    return answer.hasLeader() ? Optional.of(answer.getLeader()) : Optional.empty();
  }

  /** Who stands in the queue, next first. */
  public List<Candidate> candidates() throws InterruptedException {
    ListCandidatesRequest request =
        ListCandidatesRequest.newBuilder().setNamespace(namespace).setElection(name).build();
    return runtime
        .blockingCaller()
        .call(ElectionServiceGrpc.getListCandidatesMethod(), request, runtime.deadline())
        .getCandidatesList();
  }

  /**
   * Tells of every term from now on, over broken connections. Returns when the present one is known
   * and on its way to the listener.
   *
   * @throws CallFailedException if the server refused it or did not answer
   */
  public ElectionObservation observe(LeaderListener listener) throws InterruptedException {
    ElectionObservation observation = new ElectionObservation(namespace, name, listener, runtime);
    observation.begin(runtime.deadline());
    return observation;
  }
}
