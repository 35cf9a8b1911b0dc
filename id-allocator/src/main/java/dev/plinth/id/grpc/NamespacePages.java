package dev.plinth.id.grpc;

import dev.plinth.id.core.IdApp;
import dev.plinth.id.core.IdNamespaceStatus;
import dev.plinth.id.core.Namespaces;
import dev.plinth.id.v1.ListNamespacesRequest;
import dev.plinth.id.v1.ListNamespacesResponse;
import dev.plinth.server.call.FieldChecks;
import dev.plinth.server.call.StatusMappingInterceptor;
import dev.plinth.server.failure.Failure;
import dev.plinth.shards.CommandPriority;
import dev.plinth.shards.Route;
import dev.plinth.shards.Shards;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All namespaces, shard after shard. A page token begins with the number of the shard it goes on
 * with, by which a call finds the node that has it; a page ends where the next shard is another
 * node's.
 */
final class NamespacePages {
  private static final int MAX_TOKEN = 100;
  private static final int DEFAULT_PAGE = 50;
  private static final Pattern TOKEN = Pattern.compile("(\\d{1,4})\\.([a-z0-9-]{0,63})");

  private final Shards shards;
  private final IdApp app;

  NamespacePages(Shards shards, IdApp app) {
    this.shards = shards;
    this.app = app;
  }

  private record Place(int shard, String after) {
    @Override
    public String toString() {
      return shard + "." + after;
    }
  }

  void list(ListNamespacesRequest request, StreamObserver<ListNamespacesResponse> to) {
    int size = FieldChecks.between("page_size", request.getPageSize(), 0, 1000);
    Place from = place(request.getPageToken());
    add(from, size == 0 ? DEFAULT_PAGE : size, ListNamespacesResponse.newBuilder(), to);
  }

  private Place place(String token) {
    if (token.isEmpty()) {
      return new Place(0, "");
    }
    Matcher parts = TOKEN.matcher(FieldChecks.name("page_token", token, MAX_TOKEN));
    if (!parts.matches() || Integer.parseInt(parts.group(1)) >= shards.count()) {
      throw Failure.Invalid.field(
          "page_token", '"' + token + '"', "one from a page before, or none");
    }
    return new Place(Integer.parseInt(parts.group(1)), parts.group(2));
  }

  private void add(
      Place from,
      int size,
      ListNamespacesResponse.Builder page,
      StreamObserver<ListNamespacesResponse> to) {
    int room = size - page.getNamespacesCount();
    shards
        .<Namespaces, List<IdNamespaceStatus>>submit(
            from.shard,
            app,
            CommandPriority.NORMAL,
            (namespaces, tx, reply) -> reply.send(tx, namespaces.list(from.after, room, tx)))
        .whenComplete(
            (found, thrown) -> {
              if (thrown != null) {
                to.onError(StatusMappingInterceptor.answering(thrown));
                return;
              }
              found.forEach(
                  idNamespaceStatus -> page.addNamespaces(IdWire.status(idNamespaceStatus)));
              resume(from, size, page, to);
            });
  }

  private void resume(
      Place last,
      int size,
      ListNamespacesResponse.Builder page,
      StreamObserver<ListNamespacesResponse> to) {
    Place next = new Place(last.shard + 1, "");
    if (page.getNamespacesCount() == size) {
      String name = page.getNamespaces(size - 1).getNamespace();
      page.setNextPageToken(new Place(last.shard, name).toString());
    } else if (next.shard < shards.count()) {
      if (shards.routes().of(next.shard).location() == Route.Location.LOCAL) {
        add(next, size, page, to);
        return;
      }
      page.setNextPageToken(next.toString());
    }
    to.onNext(page.build());
    to.onCompleted();
  }
}
