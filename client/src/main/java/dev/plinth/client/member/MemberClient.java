package dev.plinth.client.member;

import dev.plinth.client.CallFailedException;
import dev.plinth.client.MemberNameTakenException;
import dev.plinth.client.internal.ClientRuntime;
import dev.plinth.client.internal.session.Membership;
import dev.plinth.client.internal.session.RegistrySessions;
import dev.plinth.registry.v1.LabelFilter;
import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.ListMembersResponse;
import dev.plinth.registry.v1.Member;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import java.util.ArrayList;
import java.util.List;

/** The groups of one namespace: to be a member of one, and to see who else is. */
public final class MemberClient {
  private static final int PAGE = 500;

  private final String namespace;
  private final ClientRuntime runtime;
  private final RegistrySessions sessions;
  private final OpenMembers open;

  MemberClient(
      String namespace, ClientRuntime runtime, RegistrySessions sessions, OpenMembers open) {
    this.namespace = namespace;
    this.runtime = runtime;
    this.sessions = sessions;
    this.open = open;
  }

  /** Joins under the client's owner id, with an endpoint "grpc" at this address. */
  public PlinthMember join(String group, String address) throws InterruptedException {
    return join(group, JoinOptions.defaults().endpoint("grpc", address));
  }

  /**
   * Registers this process as a member of the group. All members of a client in a namespace share
   * one session.
   *
   * @throws MemberNameTakenException if another process has the name
   * @throws CallFailedException if the server refused it or did not answer
   */
  public PlinthMember join(String group, JoinOptions options) throws InterruptedException {
    Membership membership =
        new Membership(
            options.request(namespace, group, runtime.owner()),
            runtime,
            sessions.of(namespace),
            Membership.Observer.NONE);
    PlinthMember member = new PlinthMember(membership, options, open, runtime);
    boolean joined = false;
    open.add(member);
    try {
      runtime.checkOpen(); // after the addition: a client that closes now closes it, too
      runtime.await(membership.begin(), runtime.operationTimeout());
      joined = true;
      return member;
    } finally {
      if (!joined) {
        open.giveUp(member);
      }
    }
  }

  /** Who is in the group now: ALIVE, DRAINING and SUSPECT members, in the order of names. */
  public List<Member> list(String group) throws InterruptedException {
    List<Member> members = new ArrayList<>();
    ListMembersRequest.Builder request =
        ListMembersRequest.newBuilder().setNamespace(namespace).setGroup(group).setPageSize(PAGE);
    do {
      ListMembersResponse page =
          runtime.call(
              RegistryServiceGrpc.getListMembersMethod(),
              request.build(),
              runtime.operationTimeout());
      members.addAll(page.getMembersList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return members;
  }

  /**
   * Follows the group from now on. Returns when its members are known.
   *
   * @throws CallFailedException if the server refused it or did not answer
   */
  public GroupWatch watch(String group) throws InterruptedException {
    return watch(group, List.of());
  }

  /**
   * @param filters members that all of these fit
   */
  public GroupWatch watch(String group, List<LabelFilter> filters) throws InterruptedException {
    GroupWatch watch = follow(group, filters);
    watch.begin(runtime.deadline());
    return watch;
  }

  /** Not opened yet. */
  GroupWatch follow(String group, List<LabelFilter> filters) {
    return new GroupWatch(namespace, group, filters, runtime);
  }
}
