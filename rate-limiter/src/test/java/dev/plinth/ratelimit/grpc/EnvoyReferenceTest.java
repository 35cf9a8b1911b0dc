package dev.plinth.ratelimit.grpc;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.Parameter;

/**
 * What the reference service envoyproxy/ratelimit does, by its source, its tests and the scripts of
 * its examples: its configuration imported, then requests and answers.
 */
@OnEachBudgets
class EnvoyReferenceTest {
  @Parameter LimitServer server;

  private record Case(String name, String descriptors, String... lines) {}

  private final List<Case> cases = new ArrayList<>();

  private void add(String name, String descriptors, String... lines) {
    cases.add(new Case(name, descriptors, lines));
  }

  @TestFactory
  Stream<DynamicTest> reference() {
    matching();
    wildcards();
    replaces();
    counting();
    modes();
    return cases.stream()
        .map(
            one ->
                dynamicTest(
                    one.name,
                    () -> EnvoyReference.of(one.descriptors, server.channel()).run(one.lines)));
  }

  private static final String ADDRESSES =
      """
      - {key: remote_address, rate_limit: {unit: year, requests_per_unit: 2}}
      - {key: remote_address, value: 50.0.0.5, rate_limit: {unit: year, requests_per_unit: 0}}
      - {key: remote_address, value: 50.0.0.6}
      - key: remote_address
        value: 50.0.0.7
        descriptors:
          - {key: path, rate_limit: {unit: year, requests_per_unit: 1}}
      """;

  private void matching() {
    add(
        "a value goes before its key",
        ADDRESSES,
        "remote_address=50.0.0.1 -> ok: ok/1",
        "remote_address=50.0.0.2 -> ok: ok/1",
        "remote_address=50.0.0.1 -> ok: ok/0",
        "remote_address=50.0.0.1 -> over: over/0",
        "remote_address=50.0.0.5 -> over: over/0");
    add(
        "a value without a limit is exempt",
        ADDRESSES,
        "5x remote_address=50.0.0.6 -> ok: unlimited",
        "5x remote_address=50.0.0.7 -> ok: none");
    add(
        "there is no way back from a more specific descriptor",
        ADDRESSES + "- {key: remote_address, value: '5*', descriptors: [{key: user}]}\n",
        "remote_address=50.0.0.7,path=/a -> ok: ok/0",
        "remote_address=50.0.0.7,path=/a -> over: over/0",
        "3x remote_address=50.0.0.7,user=ann -> ok: none",
        "3x remote_address=50.0.0.1 -> ok: none");
    add(
        "a limit is for descriptors as deep as itself",
        """
        - {key: key, value: value, rate_limit: {unit: year, requests_per_unit: 1}}
        - key: deep
          rate_limit: {unit: year, requests_per_unit: 2}
          descriptors:
            - {key: sub, rate_limit: {unit: year, requests_per_unit: 1}}
        """,
        "3x key=value,subkey=subvalue -> ok: none",
        "key=value -> ok: ok/0",
        "deep=a -> ok: ok/1",
        "deep=a,sub=b -> ok: ok/0",
        "deep=a,sub=b -> over: over/0",
        "deep=a -> ok: ok/0",
        "3x deep=a,sub=b,more=c -> ok: none",
        "3x sub=b -> ok: none");
    add(
        "all descriptors of a request are limited, and one is enough to be over",
        """
        - key: message_type
          value: marketing
          descriptors:
            - {key: to_number, rate_limit: {unit: year, requests_per_unit: 1}}
        - {key: to_number, rate_limit: {unit: year, requests_per_unit: 3}}
        """,
        "message_type=marketing,to_number=1 & to_number=1 -> ok: ok/0 ok/2",
        "message_type=marketing,to_number=2 & to_number=2 -> ok: ok/0 ok/2",
        "message_type=marketing,to_number=1 & to_number=1 -> over: over/0 ok/1",
        "message_type=other,to_number=1 & to_number=1 -> ok: none ok/0",
        "message_type=marketing -> ok: none");
    add(
        "a descriptor without entries is not limited",
        ADDRESSES,
        "2x () -> ok: none",
        "() & remote_address=50.0.0.5 -> over: none over/0",
        "() ^1/year -> ok: ok/0",
        "() ^1/year -> over: over/0");
  }

  private void wildcards() {
    String wild =
        """
        - {key: path, value: '/a*', rate_limit: {unit: year, requests_per_unit: 2}}
        - {key: path, value: '/a/*/c', rate_limit: {unit: year, requests_per_unit: 9}}
        - {key: path, value: '/x/*/y/*/z', rate_limit: {unit: year, requests_per_unit: 3}}
        - {key: path, value: '/abc', rate_limit: {unit: year, requests_per_unit: 1}}
        - {key: path, rate_limit: {unit: year, requests_per_unit: 5}}
        - key: user
          value: ann
          descriptors:
            - {key: path, value: 'goo*', rate_limit: {unit: year, requests_per_unit: 1}}
        """;
    add(
        "a value goes before a wildcard, the first wildcard that fits before others, then the key",
        wild,
        "path=/abc -> ok: ok/0",
        "path=/abd -> ok: ok/1",
        "path=/a/b/c -> ok: ok/1",
        "path=/x/1/y/2/z -> ok: ok/2",
        "path=/x/y//z -> ok: ok/4",
        "path=/x/1/z -> ok: ok/4",
        "user=ann,path=google -> ok: ok/0",
        "user=ann,path=go -> ok: none");
    add(
        "each value of a wildcard has its own count",
        wild,
        "2x path=/a1 -> ok: ok/0",
        "path=/a1 -> over: over/0",
        "path=/a2 -> ok: ok/1",
        "path=/a -> ok: ok/1");
    add(
        "share_threshold is one count for all values that fit, at its level",
        """
        - key: files
          value: 'files/*'
          share_threshold: true
          rate_limit: {unit: year, requests_per_unit: 3}
        - {key: own, value: 'files/*', rate_limit: {unit: year, requests_per_unit: 3}}
        - {key: files, value: files/own, rate_limit: {unit: year, requests_per_unit: 1}}
        - key: files
          value: 'top*'
          share_threshold: true
          descriptors:
            - key: files
              value: 'a*z'
              share_threshold: true
              rate_limit: {unit: year, requests_per_unit: 2}
            - {key: user, rate_limit: {unit: year, requests_per_unit: 1}}
        """,
        "files=files/a.pdf -> ok: ok/2",
        "files=files/b.csv -> ok: ok/1",
        "files=files/ -> ok: ok/0",
        "files=files/new -> over: over/0",
        "files=files/own -> ok: ok/0",
        "own=files/a.pdf -> ok: ok/2",
        "own=files/b.csv -> ok: ok/2",
        "files=top1,files=abz -> ok: ok/1",
        "files=top2,files=az -> ok: ok/0",
        "files=top3,files=aaz -> over: over/0",
        "files=top1,user=ann -> ok: ok/0",
        "files=top2,user=ann -> over: over/0",
        "files=top2,user=bob -> ok: ok/0");
  }

  private void replaces() {
    String named =
        """
        - key: category
          value: account
          rate_limit: {replaces: [{name: tight}, {name: fake}], unit: year, requests_per_unit: 4}
        - key: cluster
          value: proxy
          descriptors:
            - key: to
              value: wide
              rate_limit: {replaces: [{name: tight}], unit: year, requests_per_unit: 2}
            - key: to
              value: override
              rate_limit: {replaces: [{name: banned}], unit: year, requests_per_unit: 2}
            - {key: to, value: mock, rate_limit: {unit: year, requests_per_unit: 9}}
            - {key: to, value: fake, rate_limit: {name: fake, unit: year, requests_per_unit: 2}}
            - key: to
              value: free
              rate_limit: {unlimited: true, replaces: [{name: tight}]}
        - key: foo
          descriptors:
            - {key: bar, value: b, rate_limit: {name: tight, unit: year, requests_per_unit: 1}}
            - {key: bar, value: no, rate_limit: {name: banned, unit: year, requests_per_unit: 0}}
        """;
    add(
        "replaces puts another limit in place of a named one of the same request",
        named,
        "foo=x,bar=no -> over: over/0",
        "foo=x,bar=no & cluster=proxy,to=mock -> over: over/0 ok/8",
        "foo=x,bar=no & cluster=proxy,to=override -> ok: none ok/1",
        "foo=x,bar=no & cluster=proxy,to=override -> ok: none ok/0",
        "cluster=proxy,to=override & foo=x,bar=no -> over: over/0 none");
    add(
        "what is replaced is not charged",
        named,
        "2x foo=x,bar=b & cluster=proxy,to=wide -> ok: none ok/0",
        "foo=x,bar=b & cluster=proxy,to=wide -> over: none over/0",
        "foo=x,bar=b & cluster=proxy,to=other -> ok: ok/0 none",
        "foo=x,bar=b -> over: over/0");
    add(
        "replaces several limits, also by one that is unlimited",
        named,
        "4x foo=x,bar=b & cluster=proxy,to=fake & category=account -> ok: none none ok/0",
        "foo=x,bar=b & cluster=proxy,to=fake & category=account -> over: none none over/0",
        "foo=x,bar=b & cluster=proxy,to=fake -> ok: ok/0 ok/1",
        "3x foo=x,bar=b & cluster=proxy,to=free -> ok: none unlimited");
  }

  private void counting() {
    String ten = "- {key: k, rate_limit: {unit: year, requests_per_unit: 10}}\n";
    add(
        "hits above the limit are charged",
        ten,
        "k=a +8 -> ok: ok/2",
        "k=a +5 -> over: over/0",
        "k=a +1 -> over: over/0",
        "k=b +11 -> over: over/0",
        "k=b -> over: over/0");
    add(
        "used = limit is not over, and no hits only look",
        ten,
        "3x k=a +0 -> ok: ok/10",
        "k=a +10 -> ok: ok/0",
        "k=a +0 -> ok: ok/0",
        "k=a +1 -> over: over/0",
        "k=a +0 -> over: over/0");
    add(
        "charged after the response, as by apply_on_stream_done, it limits the next ones",
        "- {key: service, rate_limit: {unit: year, requests_per_unit: 2}}\n",
        "service=s +0 -> ok: ok/2",
        "service=s +1 -> ok: ok/1",
        "service=s +0 -> ok: ok/1",
        "service=s +1 -> ok: ok/0",
        "service=s +0 -> ok: ok/0",
        "service=s +1 -> over: over/0",
        "service=s +0 -> over: over/0",
        "service=t +1000 -> over: over/0",
        "service=t +0 -> over: over/0");
    add(
        "hits of a descriptor are its own",
        ten,
        "k=a +3 & k=b & k=c +0 -> ok: ok/7 ok/9 ok/10",
        "k=a +3 & k=b & k=c +0 -> ok: ok/4 ok/8 ok/10");
    add(
        "a limit of 0 denies all that costs something",
        "- {key: k, rate_limit: {unit: year, requests_per_unit: 0}}\n",
        "k=a +0 -> ok: ok/0",
        "2x k=a -> over: over/0");
    add(
        "limits and hits reach to 2^32 - 1",
        "- {key: k, rate_limit: {unit: year, requests_per_unit: 4294967295}}\n",
        "k=a -> ok: ok/4294967294",
        "k=a +4294967294 -> ok: ok/0",
        "k=a -> over: over/0",
        "k=b +4294967295 -> ok: ok/0",
        "k=b +4294967295 -> over: over/0",
        "k=c ^4294967295/year +4294967295 -> ok: ok/0",
        "k=c ^4294967295/year -> over: over/0");
    add(
        "rate_limit_override counts by itself",
        "- {key: k, rate_limit: {name: n, unit: year, requests_per_unit: 1}}\n"
            + "- {key: r, rate_limit: {replaces: [{name: n}], unit: year, requests_per_unit: 9}}\n",
        "2x k=a ^2/year & r=a -> ok: ok/0 ok/7",
        "k=a ^2/year -> over: over/0",
        "k=a -> ok: ok/0",
        "k=b ^0/year -> over: over/0",
        "no=rule ^1/month -> ok: ok/0",
        "no=rule ^1/month -> over: over/0",
        "no=rule -> ok: none");
  }

  private void modes() {
    add(
        "unlimited says so, and is not counted",
        """
        - {key: ldap, rate_limit: {unlimited: true}}
        - {key: ldap, value: x, rate_limit: {unit: year, requests_per_unit: 1}}
        """,
        "5x ldap=a -> ok: unlimited",
        "ldap=x -> ok: ok/0",
        "ldap=x & ldap=a -> over: over/0 unlimited");
    add(
        "shadow_mode counts and never denies",
        """
        - {key: k, shadow_mode: true, rate_limit: {unit: year, requests_per_unit: 2}}
        - {key: k, value: hard, rate_limit: {unit: year, requests_per_unit: 1}}
        """,
        "k=a -> ok: ok/1",
        "k=a -> ok: ok/0",
        "3x k=a -> ok: ok/0",
        "k=b +5 -> ok: ok/0",
        "2x k=hard & k=a -> over: over/0 ok/0");
    add(
        "quota_mode is over only when all quotas are",
        """
        - key: service
          value: s1
          quota_mode: true
          rate_limit: {unit: year, requests_per_unit: 1}
        - key: service
          value: s2
          quota_mode: true
          rate_limit: {unit: year, requests_per_unit: 2}
        - {key: user, rate_limit: {unit: year, requests_per_unit: 1}}
        """,
        "service=s1 & service=s2 -> ok: ok/0 ok/1",
        "service=s1 & service=s2 -> ok: over/0 ok/0",
        "service=s1 & service=s2 -> over: over/0 over/0",
        "service=s1 & user=ann -> over: over/0 ok/0",
        "service=none & user=bob -> ok: none ok/0",
        "service=none & user=bob -> over: none over/0");
  }
}
