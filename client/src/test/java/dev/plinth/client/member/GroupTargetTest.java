package dev.plinth.client.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupTargetTest {
  @Test
  void target_isNamespaceAndGroup_withParameters() {
    GroupTarget target =
        GroupTarget.of(
            URI.create("plinth://pay/web?server=reg%3A7450&endpoint=http&label.zone=a%26b"));
    assertEquals("pay", target.namespace());
    assertEquals("web", target.group());
    assertEquals("http", target.endpoint());
    assertEquals(Optional.of("reg:7450"), target.server());
    assertEquals("zone", target.filters().get(0).getKey());
    assertEquals(List.of("a&b"), target.filters().get(0).getValuesList());
  }

  @Test
  void target_withAGroupAlone_hasTheUsualRest() {
    GroupTarget target = GroupTarget.of(URI.create("plinth:///web"));
    assertEquals("default", target.namespace());
    assertEquals("grpc", target.endpoint());
    assertEquals(Optional.empty(), target.server());
    assertEquals(List.of(), target.filters());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plinth:///", "plinth:///a/b", "dns:///web", "plinth:///web?servers=a:1"})
  void otherTargets_areRefused_withWhatWasExpected(String uri) {
    IllegalArgumentException thrown =
        assertThrows(IllegalArgumentException.class, () -> GroupTarget.of(URI.create(uri)));
    assertEquals(true, thrown.getMessage().contains("expected"));
  }

  @Test
  void addresses_areHostAndPort() {
    assertEquals(
        Optional.of(new InetSocketAddress("10.0.0.7", 8080)),
        MemberAddresses.parse("10.0.0.7:8080"));
    assertEquals(Optional.of(new InetSocketAddress("::1", 80)), MemberAddresses.parse("[::1]:80"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"10.0.0.7", "::1:80", "10.0.0.7:x", "10.0.0.7:99999", ":80", "no.invalid:1"})
  void addressesThatCannotBeUsed_areNone(String address) {
    assertEquals(Optional.empty(), MemberAddresses.parse(address));
  }
}
