package dev.plinth.simulation.workload.registry;

import com.google.protobuf.FieldMask;
import dev.plinth.registry.v1.BeatRequest;
import dev.plinth.registry.v1.DeregisterRequest;
import dev.plinth.registry.v1.DeregisterResponse;
import dev.plinth.registry.v1.ListMembersRequest;
import dev.plinth.registry.v1.RegisterRequest;
import dev.plinth.registry.v1.RegisterResponse;
import dev.plinth.registry.v1.RegistryServiceGrpc;
import dev.plinth.registry.v1.UpdateMemberRequest;
import dev.plinth.simulation.workload.WireClient;
import dev.plinth.simulation.workload.registry.MemberTold.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The calls of a process in its session, and those that come too late and must not matter. */
final class MemberCaller {
  /** A member that surely has ended. */
  private record Ended(String group, String name, long incarnation) {}

  private final WireClient client;
  private final MemberClient sender;
  private final MemberChecks checks;
  private final SplittableRandom random;
  private final List<Ended> ended = new ArrayList<>();
  private final List<BeatRequest> closed = new ArrayList<>();

  MemberCaller(WireClient client, MemberClient sender, MemberChecks checks) {
    this.client = client;
    this.sender = sender;
    this.checks = checks;
    this.random = client.random();
  }

  void closed(MemberSessionClient session) {
    closed.add(session.request());
  }

  void call(MemberSessionClient in) {
    List<String> own = List.copyOf(in.members().keySet());
    int dice = random.nextInt(12);
    if (dice < 4 || own.isEmpty()) {
      register(in);
    } else if (dice < 7) {
      String name = own.get(random.nextInt(own.size()));
      update(in, name, in.members().get(name));
    } else if (dice == 7) {
      deregister(in, own.get(random.nextInt(own.size())));
    } else if (dice == 8 && !ended.isEmpty()) {
      updateEnded(in, ended.get(random.nextInt(ended.size())));
    } else if (dice == 9 && !ended.isEmpty()) {
      deregisterEnded(in, ended.get(random.nextInt(ended.size())));
    } else if (dice == 10 && !closed.isEmpty()) {
      beatClosed(in, closed.get(random.nextInt(closed.size())));
    } else {
      list(in);
    }
  }

  private void register(MemberSessionClient in) {
    String group = "group" + random.nextInt(2);
    String name = random.nextBoolean() ? "shared" + random.nextInt(3) : client.name();
    RegisterRequest request =
        RegisterRequest.newBuilder()
            .setNamespace(MemberClient.NAMESPACE)
            .setGroup(group)
            .setName(name)
            .setSessionId(in.id())
            .setSessionIncarnation(in.incarnation())
            .setReplace(random.nextInt(3) == 0)
            .setRequestId(client.newRequestId())
            .build();
    String path = group + "/" + name;
    sender.send(
        RegistryServiceGrpc.getRegisterMethod(),
        request,
        answer -> {
          if (answer.getOutcome() == RegisterResponse.Outcome.OUTCOME_REGISTERED) {
            long incarnation = answer.getMember().getIncarnation();
            checks.registered(incarnation);
            Long before = in.members().put(path, incarnation);
            if (before != null && before < incarnation) {
              ended(group, name, before);
            }
          }
          sender.next(in);
        },
        failure -> sender.next(in));
  }

  private void ended(String group, String name, long incarnation) {
    checks.ended(incarnation, client.now());
    ended.add(new Ended(group, name, incarnation));
  }

  private UpdateMemberRequest.Builder updating(String group, String name, long incarnation) {
    return UpdateMemberRequest.newBuilder()
        .setNamespace(MemberClient.NAMESPACE)
        .setGroup(group)
        .setName(name)
        .setIncarnation(incarnation)
        .setUpdateMask(FieldMask.newBuilder().addPaths("weight").addPaths("draining"))
        .setWeight(random.nextInt(1000))
        .setDraining(random.nextInt(3) == 0)
        .setRequestId(client.newRequestId());
  }

  private void update(MemberSessionClient in, String path, long incarnation) {
    String[] parts = path.split("/");
    sender.send(
        RegistryServiceGrpc.getUpdateMemberMethod(),
        updating(parts[0], parts[1], incarnation).build(),
        answer -> sender.next(in),
        failure -> sender.next(in)); // another session may have the name by now
  }

  private void updateEnded(MemberSessionClient in, Ended member) {
    client.log().count("late calls");
    sender.send(
        RegistryServiceGrpc.getUpdateMemberMethod(),
        updating(member.group, member.name, member.incarnation).build(),
        answer -> {
          client.log().violation("an ended member was changed: " + member + ": " + answer);
          sender.next(in);
        },
        failure -> sender.next(in));
  }

  private DeregisterRequest deregistering(
      String session, String group, String name, long incarnation) {
    return DeregisterRequest.newBuilder()
        .setNamespace(MemberClient.NAMESPACE)
        .setGroup(group)
        .setName(name)
        .setSessionId(session)
        .setIncarnation(incarnation)
        .setRequestId(client.newRequestId())
        .build();
  }

  private void deregister(MemberSessionClient in, String path) {
    String[] parts = path.split("/");
    long incarnation = in.members().remove(path);
    sender.send(
        RegistryServiceGrpc.getDeregisterMethod(),
        deregistering(in.id(), parts[0], parts[1], incarnation),
        answer -> {
          ended(parts[0], parts[1], incarnation); // whoever ended it
          sender.next(in);
        },
        failure -> sender.next(in));
  }

  private void deregisterEnded(MemberSessionClient in, Ended member) {
    client.log().count("late calls");
    sender.send(
        RegistryServiceGrpc.getDeregisterMethod(),
        deregistering(in.id(), member.group, member.name, member.incarnation),
        answer -> {
          if (answer.getOutcome() == DeregisterResponse.Outcome.OUTCOME_LEFT) {
            client.log().violation("an ended member left once more: " + member);
          }
          sender.next(in);
        },
        failure -> sender.next(in));
  }

  private void beatClosed(MemberSessionClient in, BeatRequest beat) {
    client.log().count("late calls");
    sender.send(
        RegistryServiceGrpc.getBeatMethod(),
        beat,
        answer -> {
          client.log().violation("a closed session lives by a beat: " + beat.getSessionId());
          sender.next(in);
        },
        failure -> sender.next(in));
  }

  private void list(MemberSessionClient in) {
    long asked = client.now();
    sender.send(
        RegistryServiceGrpc.getListMembersMethod(),
        ListMembersRequest.newBuilder()
            .setNamespace(MemberClient.NAMESPACE)
            .setPageSize(1000)
            .build(),
        answer -> {
          answer
              .getMembersList()
              .forEach(each -> checks.listed(Seen.of(each), asked, client.now()));
          sender.next(in);
        },
        failure -> sender.next(in));
  }
}
