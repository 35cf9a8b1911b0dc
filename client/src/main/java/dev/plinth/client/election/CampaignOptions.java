package dev.plinth.client.election;

import com.google.protobuf.ByteString;
import dev.plinth.lease.v1.CampaignRequest;

/** How to stand for election. The usual: under the client's owner id, priority 0, no value. */
public final class CampaignOptions {
  private static final CampaignOptions DEFAULTS = new CampaignOptions(CampaignRequest.newBuilder());

  private final CampaignRequest request;

  private CampaignOptions(CampaignRequest.Builder request) {
    this.request = request.build();
  }

  public static CampaignOptions defaults() {
    return DEFAULTS;
  }

  /** The name that others see, and that leadership is handed to. */
  public CampaignOptions candidate(String id) {
    return new CampaignOptions(request.toBuilder().setCandidateId(id));
  }

  /** Higher is served first; -100 to 100. */
  public CampaignOptions priority(int of) {
    return new CampaignOptions(request.toBuilder().setPriority(of));
  }

  /** What others read of the leader, such as its address; at most 4 KiB. */
  public CampaignOptions value(byte[] bytes) {
    return new CampaignOptions(request.toBuilder().setValue(ByteString.copyFrom(bytes)));
  }

  /**
   * @param owner the candidate's name if it has no other
   */
  CampaignRequest.Builder request(String owner) {
    return request.getCandidateId().isEmpty()
        ? request.toBuilder().setCandidateId(owner)
        : request.toBuilder();
  }
}
