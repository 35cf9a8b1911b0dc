package dev.plinth.ratelimit.store.redis;

import dev.plinth.ratelimit.policy.Limit;
import dev.plinth.ratelimit.store.Budget;
import dev.plinth.ratelimit.store.BudgetRequest;
import dev.plinth.ratelimit.store.Charge;
import dev.plinth.ratelimit.store.Operation;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests as the script takes them: every key in KEYS, those of budgets first, and one packed
 * argument {@code [time, [terms...], [terms of each budget...], [operation...]...]}. What many
 * budgets of one rule have in common, their {@link BudgetTermsTable}, is sent once. See budgets.lua
 * for the fields.
 */
final class ScriptArguments {
  private static final int TAKE = 1;
  private static final int SETTLE = 2;
  private static final int RESET = 3;
  private static final int ACQUIRE = 4;
  private static final int RENEW = 5;
  private static final int RELEASE = 6;
  private static final int GIVE_BACK = 7;

  private final RedisKeys keys;
  private final BudgetTermsTable terms;
  private final Map<Budget, Integer> budgets = new HashMap<>();
  private final List<byte[]> budgetKeys = new ArrayList<>();
  private final List<byte[]> otherKeys = new ArrayList<>();
  private final MessagePackWriter uses = new MessagePackWriter();
  private final MessagePackWriter operations = new MessagePackWriter();

  private ScriptArguments(RedisKeys keys, BudgetTermsTable terms) {
    this.keys = keys;
    this.terms = terms;
  }

  /**
   * @param time in place of Redis's own, or 0
   * @param about what Redis's clock may show, for the windows of calendars
   */
  static CommandArgs<byte[], byte[]> args(
      byte[] script, String domain, List<BudgetRequest> requests, long time, long about) {
    ScriptArguments batch = new ScriptArguments(RedisKeys.of(domain), new BudgetTermsTable(about));
    batch.operations.array(requests.size());
    requests.forEach(batch::add);
    return batch.args(script, time);
  }

  private CommandArgs<byte[], byte[]> args(byte[] script, long time) {
    MessagePackWriter all = new MessagePackWriter().array(4).number(time);
    terms.appendTo(all);
    all.array(budgetKeys.size()).append(uses).append(operations);
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(script).add(budgetKeys.size() + otherKeys.size());
    budgetKeys.forEach(args::add);
    otherKeys.forEach(args::add);
    return args.add(all.toBytes());
  }

  private void add(BudgetRequest request) {
    Operation operation = request.operation();
    if (operation instanceof Operation.Take take) {
      begin(TAKE, 6 + 2 * take.charges().size(), request);
      take(take);
    } else if (operation instanceof Operation.Settle settle) {
      begin(SETTLE, 2, request).number(other(keys.ticket(settle.ticket()))).number(settle.actual());
    } else if (operation instanceof Operation.ReturnUnused rest) {
      begin(GIVE_BACK, 2, request).number(other(keys.ticket(rest.ticket()))).number(rest.unused());
    } else if (operation instanceof Operation.Reset reset) {
      begin(RESET, 2 * reset.budgets().size(), request);
      reset.budgets().forEach(budget -> use(budget, 0));
    } else if (operation instanceof Operation.AcquireSlot acquire) {
      acquire(acquire, request);
    } else if (operation instanceof Operation.RenewSlot renew) {
      begin(RENEW, 3, request);
      slot(renew.slot()).number(renew.ttl());
    } else if (operation instanceof Operation.ReleaseSlot release) {
      begin(RELEASE, 2, request);
      slot(release.slot());
    }
  }

  private MessagePackWriter begin(int kind, int fields, BudgetRequest request) {
    operations.array(3 + fields).number(kind);
    if (request.idempotencyKey().isEmpty()) {
      return operations.number(0).text("");
    }
    BudgetRequest.IdempotencyKey once = request.idempotencyKey().get();
    return operations.number(other(keys.request(once.id()))).text(once.fingerprint());
  }

  private void take(Operation.Take take) {
    operations.number(take.count()).flag(take.partial()).number(take.maxWait());
    operations.number(take.lease());
    if (take.ticket().isPresent()) {
      Operation.Ticket ticket = take.ticket().get();
      operations.number(other(keys.ticket(ticket.id()))).number(ticket.ttl());
      terms.until(ticket.ttl() + take.maxWait());
    } else {
      operations.number(0).number(0);
    }
    for (Charge charge : take.charges()) {
      use(charge.budget(), charge.always() ? -charge.cost() : charge.cost());
    }
  }

  /** Slots, which have no state, are marked by a minus, with their number after it. */
  private void use(Budget budget, long cost) {
    if (!(budget.limit() instanceof Limit.Concurrency)) {
      operations.number(budget(budget)).number(cost);
    } else if (cost == 0) {
      operations.number(-other(keys.slots(budget.key()))).number(budget.limit().size());
    } else {
      throw new IllegalArgumentException(
          budget.key() + ": cost " + cost + " of a concurrency limit (expected: a slot)");
    }
  }

  private void acquire(Operation.AcquireSlot acquire, BudgetRequest request) {
    begin(ACQUIRE, 4 + 3 * acquire.budgets().size(), request);
    slot(acquire.slot()).number(acquire.ttl()).number(other(keys.token()));
    for (Budget budget : acquire.budgets()) {
      operations.number(other(keys.slots(budget.key()))).number(budget.limit().size());
      operations.flag(budget.shadow());
    }
  }

  private MessagePackWriter slot(String id) {
    return operations.number(other(keys.slot(id))).text(id);
  }

  private int budget(Budget budget) {
    Integer known = budgets.get(budget);
    if (known != null) {
      return known;
    }
    uses.number(terms.of(budget));
    budgetKeys.add(keys.budget(budget.key()));
    budgets.put(budget, budgetKeys.size());
    return budgetKeys.size();
  }

  /** Counted from 1, behind the budgets' keys. */
  private int other(byte[] key) {
    otherKeys.add(key);
    return otherKeys.size();
  }
}
