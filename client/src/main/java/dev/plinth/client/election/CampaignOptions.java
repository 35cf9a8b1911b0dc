package dev.plinth.client.election;

import com.google.protobuf.ByteString;
import dev.plinth.lease.v1.CampaignRequest;

/** How to stand for election. The usual: under the client's owner id, priority 0, no value. */
public final class CampaignOptions {
  private static final CampaignOptions DEFAULTS = new CampaignOptions("", 0, ByteString.EMPTY);

  private final String candidate;
  private final int priority;
  private final ByteString value;

  private CampaignOptions(String candidate, int priority, ByteString value) {
    this.candidate = candidate;
    this.priority = priority;
    this.value = value;
  }

  public static CampaignOptions defaults() {
    return DEFAULTS;
  }

  /** The name that others see, and that leadership is handed to. */
  public CampaignOptions candidate(String id) {
    return new CampaignOptions(id, priority, value);
  }

  /** Higher is served first; -100 to 100. */
  public CampaignOptions priority(int of) {
    return new CampaignOptions(candidate, of, value);
  }

  /** What others read of the leader, such as its address; at most 4 KiB. */
  public CampaignOptions value(byte[] bytes) {
    return new CampaignOptions(candidate, priority, ByteString.copyFrom(bytes));
  }

  CampaignRequest request(String owner) {
    return CampaignRequest.newBuilder()
        .setCandidateId(candidate.isEmpty() ? owner : candidate)
        .setPriority(priority)
        .setValue(value)
        .build();
  }
}
