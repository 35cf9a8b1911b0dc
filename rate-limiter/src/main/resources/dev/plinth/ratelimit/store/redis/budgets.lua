-- Applies a batch of requests to the budgets of one domain, one after the other, at one moment: what Budgets does in
-- Java, which is the place to read why. The tests hold the two to the same outcomes.
--
-- KEYS     those of the budgets, in the order of `uses`, then the others, which requests name by their number there
-- ARGV[1]  packed: {time, terms, uses, requests}
--   time      in place of the server's, for tests; else 0
--   terms     what budgets are counted by: {kind, version, on change, shadow, most lent, ttl of a lease, text, a, b, c}
--   uses      of each budget, the number of its terms
--   requests  {kind, key of its id or 0, fingerprint, ...}, see the functions at the end
-- Answers with a flat list of integers: the time, then each outcome as its kind and numbers; or, having done nothing,
-- with {-1, time} where a calendar's windows do not hold the time.
--
-- Tickets name the keys of budgets, and slots those of places, which are therefore not in KEYS; but they have the
-- domain's hash tag and so are in the same slot of a cluster.
--
-- All numbers are whole, and below 2^53, where doubles are exact; so are floor and ceil of their quotients, as these
-- never round across an integer. A number becomes text by %.0f: Lua's own way keeps only 14 digits.

local floor, ceil, max, min, format = math.floor, math.ceil, math.max, math.min, string.format

local NEVER = -1
local DEBT = 2 ^ 52 -- where debt stops growing, so that a time that far ahead is exact too
local MOST_IN_ENTRY = 2 ^ 42
local SECOND = 1000000
local HOUR = 3600 * SECOND
local GRACE = 120 * SECOND -- an unused state is as good as none when it was last written so long ago
local REMEMBERED = 600 * SECOND
local AS_IS, RESET, PROPORTIONAL, ADDITIVE = 0, 1, 2, 3
local TAKEN, STALE, SETTLED, DONE, SLOTTED, HELD, REUSED = 1, 2, 3, 4, 5, 6, 7

local batch = cmsgpack.unpack(ARGV[1])
local now, terms, uses, requests = batch[1], batch[2], batch[3], batch[4]
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * SECOND + time[2]
end

local function text(n)
  return format('%.0f', n)
end

local answer, told = { now }, 1

local function tell(n)
  told = told + 1
  answer[told] = n
end

-- {from, to, from, to, ...}: the first window that holds the time.
local function window(bounds)
  for i = 1, #bounds, 2 do
    if bounds[i] <= now and now < bounds[i + 1] then
      return bounds[i], bounds[i + 1]
    end
  end
end

for i = 1, #terms do
  local t = terms[i]
  terms[i] = {
    kind = t[1], version = t[2], change = t[3], shadow = t[4] == 1, most = t[5], ttl = t[6],
    text = t[7], a = t[8], b = t[9], c = t[10],
  }
  if t[1] == 'c' then
    terms[i].from, terms[i].to = window(t[10])
    if not terms[i].from then
      return { -1, now }
    end
  end
end

-- Each key is read once, the budgets' all together, and written once, at the end.

local values, lifetimes, changed = {}, {}, {}

for first = 1, #uses, 4000 do -- as many as fit on Lua's stack
  local found = redis.call('MGET', unpack(KEYS, first, min(first + 3999, #uses)))
  for i = 1, #found do
    values[KEYS[first + i - 1]] = found[i]
  end
end

-- False if there is none.
local function get(key)
  local value = values[key]
  if value == nil then
    value = redis.call('GET', key)
    values[key] = value
  end
  return value
end

-- For so many microseconds; false deletes.
local function put(key, value, lifetime)
  if not lifetimes[key] then
    changed[#changed + 1] = key
  end
  values[key] = value
  lifetimes[key] = lifetime or 0
end

local function other(number)
  return KEYS[#uses + number]
end

-- States. Besides kind, version, last (written), lw, lc, lp (lent) and text (the limit's) they have, by kind:
--   b bucket    a burst, b / c microseconds for a unit; full again at x + y / c
--   p paced     b / c microseconds for a unit; free again at x + y / c
--   f window    a limit, b period; used y in window x
--   c calendar  a limit, b unit and zone; used z from x to y
--   s counter   a limit, b period; used y in window x, z in the one before
--   l log       a limit, b period; times x and costs y, oldest first, and their sum z

local SHAPES = {
  b = '^(%d+ %d+ %d+) (%-?%d+) (%d+)$',
  p = '^(%d+ %d+) (%-?%d+) (%d+)$',
  f = '^(%d+ %d+) (%-?%d+) (%d+)$',
  c = '^(%d+ %S+ %S+) (%-?%d+) (%-?%d+) (%d+)$',
  s = '^(%d+ %d+) (%-?%d+) (%d+) (%d+)$',
  l = '^(%d+ %d+)(.*)$',
}

local function limit_of(s, t)
  if t and t.kind == s.kind and t.text == s.text then
    s.a, s.b, s.c = t.a, t.b, t.c
  elseif s.kind == 'b' then
    local a, b, c = s.text:match('^(%d+) (%d+) (%d+)$')
    s.a, s.b, s.c = tonumber(a), tonumber(b), tonumber(c)
  elseif s.kind == 'p' then
    local b, c = s.text:match('^(%d+) (%d+)$')
    s.a, s.b, s.c = 1, tonumber(b), tonumber(c)
  elseif s.kind == 'c' then
    local a, b = s.text:match('^(%d+) (.+)$')
    s.a, s.b = tonumber(a), b
  else
    local a, b = s.text:match('^(%d+) (%d+)$')
    s.a, s.b = tonumber(a), tonumber(b)
  end
end

local function parse(key, value, t)
  local kind, version, last, lw, lc, lp, rest =
    value:match('^v1 (%l) (%d+) (%-?%d+) (%-?%d+) (%d+) (%d+) (.+)$')
  local limit, x, y, z
  if kind and SHAPES[kind] then
    limit, x, y, z = rest:match(SHAPES[kind])
  end
  if not limit then
    error('CORRUPT ' .. key)
  end
  local s = {
    kind = kind, version = tonumber(version), last = tonumber(last),
    lw = tonumber(lw), lc = tonumber(lc), lp = tonumber(lp), text = limit,
  }
  limit_of(s, t)
  if kind ~= 'l' then
    s.x, s.y, s.z = tonumber(x), tonumber(y), z and tonumber(z)
    return s
  end
  s.x, s.y, s.z = {}, {}, 0
  for time, cost in x:gmatch('(%-?%d+) (%d+)') do
    local i = #s.x + 1
    s.x[i], s.y[i] = tonumber(time), tonumber(cost)
    s.z = s.z + s.y[i]
  end
  return s
end

local function written(s)
  local head = 'v1 ' .. s.kind .. ' ' .. text(s.version) .. ' ' .. text(s.last) .. ' '
    .. text(s.lw) .. ' ' .. text(s.lc) .. ' ' .. text(s.lp) .. ' ' .. s.text
  if s.kind == 'l' then
    local words = { head }
    for i = 1, #s.x do
      words[i + 1] = text(s.x[i]) .. ' ' .. text(s.y[i])
    end
    return table.concat(words, ' ')
  end
  local body = head .. ' ' .. text(s.x) .. ' ' .. text(s.y)
  return s.z and body .. ' ' .. text(s.z) or body
end

-- With the limit of terms, and nothing used.
local function fresh(t)
  local s = {
    kind = t.kind, version = t.version, last = now, lw = 0, lc = 0, lp = 0,
    text = t.text, a = t.a, b = t.b, c = t.c,
  }
  local kind = t.kind
  if kind == 'b' or kind == 'p' then
    s.x, s.y = now, 0
  elseif kind == 'f' then
    s.x, s.y = floor(now / t.b), 0
  elseif kind == 'c' then
    s.x, s.y, s.z = t.from, t.to, 0
  elseif kind == 's' then
    s.x, s.y, s.z = floor(now / t.b), 0, 0
  else
    s.x, s.y, s.z = {}, {}, 0
  end
  return s
end

-- To the windows of a time not before the last one; of a calendar, that of the time comes from terms of its unit and
-- zone, if there are any.
local function advance(s, time, t)
  local kind = s.kind
  if kind == 'f' then
    local index = floor(time / s.b)
    if s.x ~= index then
      s.x, s.y = index, 0
    end
  elseif kind == 's' then
    local index = floor(time / s.b)
    if s.x ~= index then
      s.x, s.y, s.z = index, 0, s.x == index - 1 and s.y or 0
    end
  elseif kind == 'c' then
    local known = t and t.b == s.b and t.from
    if s.y <= time then
      s.z = 0
    end
    if known and (s.y <= time or time < s.x) then
      s.x, s.y = t.from, t.to
    end
  elseif kind == 'l' then
    local gone = 0
    while s.x[gone + 1] and s.x[gone + 1] + s.b <= time do
      gone = gone + 1
      s.z = s.z - s.y[gone]
    end
    if gone > 0 then
      for i = 1, #s.x do
        s.x[i], s.y[i] = s.x[i + gone], s.y[i + gone]
      end
    end
  end
end

-- To the present. Where the clock was stepped back behind the last write, the state's times go back with it; those of
-- a calendar only with terms that know the window of now, which a ticket of long ago has not.
local function present(s, t)
  if now < s.last and (s.kind ~= 'c' or t.b == s.b and t.from) then
    advance(s, s.last)
    local kind, by = s.kind, now - s.last
    if kind == 'b' or kind == 'p' then
      s.x = s.x + by
    elseif kind == 'f' or kind == 's' then
      s.x = floor(now / s.b)
    elseif kind == 'l' then
      for i = 1, #s.x do
        s.x[i] = s.x[i] + by
      end
    else
      s.x, s.y = t.from, t.to
    end
    s.last, s.moved = now, true
  end
  advance(s, now, t)
end

-- Of a bucket: c-ths of a microsecond until all of it is back.
local function used(s)
  return s.x < now and 0 or (s.x - now) * s.c + s.y
end

local function available(s)
  local kind = s.kind
  if kind == 'b' then
    return floor((s.a * s.b - used(s)) / s.b)
  elseif kind == 'p' then
    return used(s) == 0 and 1 or 0
  elseif kind == 's' then
    local left = (s.x + 1) * s.b - now
    return floor((s.a * s.b - s.z * left) / s.b) - s.y
  end
  return s.a - (kind == 'f' and s.y or s.z)
end

-- Microseconds until all of it is available.
local function reset_in(s)
  local kind = s.kind
  if kind == 'b' or kind == 'p' then
    return ceil(used(s) / s.c)
  elseif kind == 'f' then
    return s.y == 0 and 0 or (s.x + 1) * s.b - now
  elseif kind == 'c' then
    return s.z == 0 and 0 or s.y - now
  elseif kind == 's' then
    local left = (s.x + 1) * s.b - now
    return s.y > 0 and left + s.b or s.z > 0 and left or 0
  end
  local last = #s.x
  return last == 0 and 0 or s.x[last] + s.b - now
end

-- Microseconds until a cost passes if nothing else comes.
local function retry_in(s, cost)
  local kind = s.kind
  if kind == 'p' then
    return reset_in(s)
  elseif cost > s.a then
    return NEVER
  elseif kind == 'b' then
    return max(0, ceil((used(s) + cost * s.b - s.a * s.b) / s.c))
  elseif kind == 's' then
    -- When little enough of the window before counts; or else, in the next window, of this one.
    local left = (s.x + 1) * s.b - now
    local bound = s.a - cost
    if s.y <= bound then
      return s.z == 0 and 0 or max(0, left - floor((bound - s.y) * s.b / s.z))
    end
    return left + s.b - floor(bound * s.b / s.y)
  elseif cost <= available(s) then
    return 0
  elseif kind == 'f' then
    return (s.x + 1) * s.b - now
  elseif kind == 'c' then
    return s.y - now
  end
  local over, i = s.z + cost - s.a, 0
  while over > 0 do
    i = i + 1
    over = over - s.y[i]
  end
  return s.x[i] + s.b - now
end

local function set_used(s, u)
  local whole = floor(u / s.c)
  s.x, s.y = now + whole, u - whole * s.c
end

local function charge(s, amount)
  local kind = s.kind
  if amount == 0 then
    return
  elseif kind == 'b' or kind == 'p' then
    local u = used(s)
    set_used(s, amount > floor((DEBT - u) / s.b) and max(u, DEBT) or u + amount * s.b)
  elseif kind == 'f' then
    s.y = min(s.y + amount, DEBT)
  elseif kind == 'c' then
    s.z = min(s.z + amount, DEBT)
  elseif kind == 's' then
    s.y = min(s.y + amount, floor((2 ^ 53 - 1) / s.b))
  else
    -- Only debt can need more entries than the limit: it joins the newest, which then lasts longer.
    local i = #s.x
    if i == 0 or s.x[i] ~= now and i < s.a then
      i = i + 1
      s.y[i] = 0
    end
    local cost = min(s.y[i] + amount, MOST_IN_ENTRY)
    s.z = s.z + cost - s.y[i]
    s.x[i], s.y[i] = now, cost
  end
end

-- Gives back what was charged at a time, as far as it still counts.
local function refund(s, amount, at)
  local kind = s.kind
  if kind == 'b' or kind == 'p' then
    local u = used(s)
    set_used(s, amount > floor(u / s.b) and 0 or u - amount * s.b)
  elseif kind == 'f' then
    if at >= s.x * s.b then
      s.y = max(0, s.y - amount)
    end
  elseif kind == 'c' then
    if at >= s.x then
      s.z = max(0, s.z - amount)
    end
  elseif kind == 's' then
    local index = floor(at / s.b)
    if index >= s.x then
      s.y = max(0, s.y - amount)
    elseif index == s.x - 1 then
      s.z = max(0, s.z - amount)
    end
  else
    -- From what was charged then or before: what came later must count for its whole time.
    for i = #s.x, 1, -1 do
      if amount > 0 and s.x[i] <= at then
        local part = min(amount, s.y[i])
        amount, s.y[i], s.z = amount - part, s.y[i] - part, s.z - part
        if s.y[i] == 0 then
          table.remove(s.x, i)
          table.remove(s.y, i)
        end
      end
    end
  end
end

-- floor(a * m / d), bit by bit where a * m would not be exact.
local function share(a, m, d)
  if a * m < 2 ^ 53 then
    return floor(a * m / d)
  end
  local whole, rest, bit = 0, 0, 2 ^ 52
  while bit >= 1 do
    whole, rest = 2 * whole, 2 * rest
    if m >= bit then
      m, rest = m - bit, rest + a
    end
    local more = floor(rest / d)
    whole, rest = whole + more, rest - more * d
    bit = bit / 2
  end
  return whole
end

-- What is there for a later version of the rule.
local function converted(s, t)
  local new = fresh(t)
  if t.change == RESET or s.kind ~= t.kind or t.kind == 'c' and s.b ~= t.b then
    return new
  elseif t.kind == 'p' then
    -- Free at the same time, the microsecond begun counted as whole.
    new.x = now + min(reset_in(s), floor(DEBT / t.c))
    return new
  end
  local left = available(s)
  if t.change == ADDITIVE then
    left = min(t.a, left + t.a - s.a)
  elseif t.change == AS_IS then
    left = min(t.a, left)
  elseif left > 0 then -- a debt is not a share of anything
    left = share(left, t.a, s.a)
  end
  charge(new, t.a - left)
  return new
end

local states = {}

-- The state that a key holds, as of now; nil if there is none that says anything.
local function stored(key, t)
  local s = states[key]
  if s == nil then
    local value = get(key)
    s = value and parse(key, value, t)
    states[key] = s
  end
  if not s then
    return nil
  end
  local idle = now - s.last >= GRACE
  present(s, t)
  if idle and reset_in(s) == 0 then
    return nil
  end
  return s
end

local unwritten = {}

local function keep(key, s)
  s.last, s.moved = now, nil
  states[key] = s
  unwritten[key] = true
end

-- What is lent in the window of now, and in the one before. A window of the future is the present one: the clock was
-- stepped back.
local function lent_at(index, lw, lc, lp)
  if index > lw then
    return index, 0, index == lw + 1 and lc or 0
  end
  return index, lc, lp
end

-- A budget while a request is decided: its state s under the terms t, and what is done to it. Nothing is kept before
-- write().
local function draft(number)
  local key, t = KEYS[number], terms[uses[number]]
  local before = stored(key, t)
  local d = { key = key, t = t, before = before, charged = 0, leased = 0, over = 0, version = 0 }
  if before then
    d.version = before.version
    d.s = before.version < t.version and converted(before, t) or before
    d.lw, d.lc, d.lp = before.lw, before.lc, before.lp
  else
    d.s = fresh(t)
    d.lw, d.lc, d.lp = 0, 0, 0
  end
  if t.ttl > 0 then
    d.lw, d.lc, d.lp = lent_at(floor(now / t.ttl), d.lw, d.lc, d.lp)
  end
  return d
end

-- Keeps what was charged; or that the clock was stepped back, lest the budget stand still until the clock is where it
-- was.
local function write(d)
  local s, version = d.s, d.t.version
  if d.charged == 0 then
    s, version = d.before, d.version
    if not s or not s.moved then
      return
    end
  end
  s.version, s.lw, s.lc, s.lp = version, d.lw, d.lc, d.lp
  keep(d.key, s)
end

local function tell_standing(d)
  tell(available(d.s))
  tell(reset_in(d.s))
  tell(d.over)
  tell(d.version)
end

-- Whether a check passes that takes no more than so much of the future, which only buckets have.
local function admits(d, cost, wait)
  local alone = retry_in(d.s, cost)
  return alone == 0 or alone > 0 and alone <= wait and (d.s.kind == 'b' or d.s.kind == 'p')
end

-- Slots: those of a concurrency budget are a sorted set by when they run out; the key of each has its token, when it
-- runs out, and the sets that it is in. Sets are written at once, unlike all else.

local prefix = KEYS[1] and KEYS[1]:match('^[^}]*}:')
local resized = {}

local function slot_at(key)
  local value = get(key)
  return value and cmsgpack.unpack(value) or nil
end

-- Whether it has not run out; nor did once, and its places went to others, before the clock was stepped back.
local function is_held(slot, id)
  return slot and now < slot[2] and (not slot[3] or redis.call('ZSCORE', slot[3], id)) and true or false
end

local function move_slot(key, id, slot, time)
  slot[2] = time
  for i = 3, #slot do
    redis.call('ZADD', slot[i], text(time), id)
    resized[slot[i]] = true
  end
  put(key, cmsgpack.pack(slot), time - now + GRACE)
end

local function remove_slot(key, id, slot)
  for i = 3, #slot do
    redis.call('ZREM', slot[i], id)
  end
  put(key, false)
end

-- Drops what ran out; and nothing lasts longer than the longest, if the clock went back.
local function tidy(places)
  redis.call('ZREMRANGEBYSCORE', places, '-inf', text(now))
  local far = redis.call('ZRANGEBYSCORE', places, '(' .. text(now + HOUR), '+inf')
  for i = 1, #far do
    local key = prefix .. 's:' .. far[i]
    local slot = slot_at(key)
    if slot then
      move_slot(key, far[i], slot, now + HOUR)
    else
      redis.call('ZREM', places, far[i])
    end
  end
end

local function tell_places(places, limit, over)
  tidy(places)
  local last = redis.call('ZREVRANGE', places, 0, 0, 'WITHSCORES')
  tell(limit - redis.call('ZCARD', places))
  tell(last[2] and last[2] - now or 0)
  tell(over)
  tell(0)
end

-- {1, id, fingerprint, count, partial, wait, lease, ticket or 0, its ttl, budget, cost, ...}; of a concurrency limit,
-- which is only looked at, minus its places' key and its limit.
local function take(r)
  local count, partial, wait, lease = r[4], r[5] == 1, r[6], r[7]
  local drafts, charges = {}, {}
  for i = 10, #r, 2 do
    if r[i] > 0 then
      local d = draft(r[i])
      if d.version > d.t.version then
        tell(STALE)
        tell(d.version)
        return
      end
      d.cost, d.enforced = r[i + 1], not d.t.shadow
      drafts[#drafts + 1] = d
      if d.cost > 0 then
        charges[#charges + 1] = d
      end
    end
  end

  local admitted, delay = count, 0
  if partial then
    local least = math.huge
    for _, d in ipairs(charges) do
      least = d.enforced and min(least, available(d.s)) or least
    end
    admitted = least > 0 and 1 or 0
    for _, d in ipairs(charges) do
      d.cost = min(d.cost, max(1, least))
    end
  end
  for _, d in ipairs(charges) do
    if count == 1 then
      d.room = admits(d, d.cost, wait) and 1 or 0
    elseif d.s.kind == 'p' then
      d.room = available(d.s)
    else
      d.room = floor(max(0, available(d.s)) / d.cost)
    end
    if d.enforced and not partial then
      admitted = min(admitted, d.room)
      delay = max(delay, retry_in(d.s, d.cost))
    end
  end

  local granted, leased, retry = 0, 0, 0
  if admitted > 0 then
    for _, d in ipairs(charges) do
      granted = max(granted, d.cost)
      local checks = d.enforced and admitted or min(admitted, d.room)
      d.charged = checks * d.cost
      d.over = checks < admitted and 1 or 0
      charge(d.s, d.charged)
    end
  else
    delay = 0
  end

  if admitted < count then
    for _, d in ipairs(charges) do
      if d.enforced and not admits(d, d.cost, wait) then
        d.over = 1
        local alone = retry_in(d.s, d.cost)
        retry = (retry == NEVER or alone == NEVER) and NEVER or max(retry, alone)
      end
    end
  elseif lease > 0 then
    local any = false
    leased = lease
    for _, d in ipairs(drafts) do
      if d.enforced then
        any = true
        -- Without lending there is no ttl, and most is 0.
        leased = min(leased, d.t.most - d.lc - d.lp, floor(available(d.s) / 2))
      end
    end
    leased = any and max(0, leased) or 0
    if leased > 0 then
      for _, d in ipairs(drafts) do
        if d.enforced then
          d.leased = leased
          d.lc = d.lc + leased
        else
          d.leased = max(0, min(leased, available(d.s)))
        end
        d.charged = d.charged + d.leased
        charge(d.s, d.leased)
      end
    end
  end

  local amount = lease > 0 and leased or granted
  if r[8] > 0 and amount > 0 then
    local ticket = { amount, now, now + delay + r[9] }
    for _, d in ipairs(drafts) do
      local part = lease > 0 and d.leased or d.charged
      if part > 0 then
        ticket[#ticket + 1] = {
          d.key, part, lease > 0 and d.enforced and d.t.ttl or 0,
          d.t.kind, d.t.version, d.t.text, d.t.a, d.t.b, d.t.c,
        }
      end
    end
    put(other(r[8]), cmsgpack.pack(ticket), delay + r[9] + GRACE)
  end

  tell(TAKEN)
  tell(admitted)
  tell(granted)
  tell(leased)
  tell(delay)
  tell(retry)
  tell((#r - 9) / 2)
  local next = 0
  for i = 10, #r, 2 do
    if r[i] > 0 then
      next = next + 1
      local d = drafts[next]
      tell_standing(d)
      if d.cost > 0 or lease > 0 then
        write(d)
      end
    else
      tell_places(other(-r[i]), r[i + 1], 0)
    end
  end
end

-- {2, id, fingerprint, ticket, actual}
local function settle(r)
  local key = other(r[4])
  local value = get(key)
  local ticket = value and cmsgpack.unpack(value)
  tell(SETTLED)
  if value then
    put(key, false)
  end
  if not value or now >= ticket[3] then
    tell(0)
    tell(0)
    return
  end
  local granted, at = ticket[1], ticket[2]
  local less = granted - r[5]
  for i = 4, #ticket do
    local p = ticket[i]
    local part, ttl = p[2], p[3]
    local t = { kind = p[4], version = p[5], text = p[6], a = p[7], b = p[8], c = p[9], ttl = ttl }
    if t.kind == 'c' then
      t.from, t.to = window(t.c)
    end
    local s = stored(p[1], t)
    -- Without a state all of it came back meanwhile; more is charged to a new one.
    if s or less < 0 and (t.kind ~= 'c' or t.from) then
      s = s or fresh(t)
      if less < 0 then
        charge(s, -less)
      elseif less > 0 and s.version == t.version then
        refund(s, min(less, part), at)
      end
      if ttl > 0 then
        local lw, lc, lp = lent_at(floor(now / ttl), s.lw, s.lc, s.lp)
        local index = floor(at / ttl)
        if index >= lw then
          lc = max(0, lc - granted)
        elseif index == lw - 1 then
          lp = max(0, lp - granted)
        end
        s.lw, s.lc, s.lp = lw, lc, lp
      end
      keep(p[1], s)
    end
  end
  tell(1)
  tell(less)
end

-- {3, id, fingerprint, budget, 0, ...}, or minus the places' key and the limit
local function reset(r)
  local drafts = {}
  for i = 4, #r, 2 do
    if r[i] > 0 then
      local d = draft(r[i])
      if d.version > d.t.version then
        tell(STALE)
        tell(d.version)
        return
      end
      drafts[i] = d
    end
  end
  tell(DONE)
  tell((#r - 3) / 2)
  for i = 4, #r, 2 do
    local d = drafts[i]
    if d then
      d.s, d.charged = fresh(d.t), 1
      write(d)
      tell_standing(d)
    else
      -- Ends every slot that has a place here: a slot is a place in all of its budgets.
      local places = other(-r[i])
      for _, id in ipairs(redis.call('ZRANGE', places, 0, -1)) do
        local key = prefix .. 's:' .. id
        local slot = slot_at(key)
        if slot then
          remove_slot(key, id, slot)
        end
      end
      redis.call('DEL', places)
      tell_places(places, r[i + 1], 0)
    end
  end
end

-- {4, id, fingerprint, slot's key, slot, ttl, token's key, places, limit, shadow, ...}
local function acquire(r)
  local key, id, till = other(r[4]), r[5], now + r[6]
  for i = 8, #r, 3 do
    tidy(other(r[i]))
  end
  local over, full = {}, false
  local retry = 0
  local slot = slot_at(key)
  if is_held(slot, id) then
    move_slot(key, id, slot, till)
  else
    for i = 8, #r, 3 do
      local places, limit = other(r[i]), r[i + 1]
      local taken = redis.call('ZCARD', places)
      if taken >= limit then
        over[i] = true
        if r[i + 2] == 0 then
          full = true
          -- More than one must run out if the limit was lowered.
          local first = redis.call('ZRANGE', places, taken - limit, taken - limit, 'WITHSCORES')
          retry = max(retry, first[2] - now)
        end
      end
    end
    if full then
      slot = nil
    else
      if slot then
        remove_slot(key, id, slot)
      end
      -- Above all before it, even if Redis has lost them: it is not below the time.
      local last = get(other(r[7]))
      local token = max(now, (tonumber(last) or 0) + 1)
      put(other(r[7]), text(token), -1)
      slot = { token, till }
      for i = 8, #r, 3 do
        if not over[i] then
          slot[#slot + 1] = other(r[i])
        end
      end
      move_slot(key, id, slot, till)
    end
  end
  tell(SLOTTED)
  tell(slot and 1 or 0)
  tell(slot and slot[1] or 0)
  tell(retry)
  tell((#r - 7) / 3)
  for i = 8, #r, 3 do
    -- A shadow is over only for a slot that the others gave.
    tell_places(other(r[i]), r[i + 1], over[i] and (r[i + 2] == 0 or slot) and 1 or 0)
  end
end

-- {5, id, fingerprint, slot's key, slot, ttl}
local function renew(r)
  local slot = slot_at(other(r[4]))
  local held = is_held(slot, r[5])
  if held then
    move_slot(other(r[4]), r[5], slot, now + r[6])
  end
  tell(HELD)
  tell(held and 1 or 0)
end

-- {6, id, fingerprint, slot's key, slot}
local function release(r)
  local slot = slot_at(other(r[4]))
  tell(HELD)
  tell(is_held(slot, r[5]) and 1 or 0)
  if slot then
    remove_slot(other(r[4]), r[5], slot)
  end
end

local OPERATIONS = { take, settle, reset, acquire, renew, release }

for i = 1, #requests do
  local r = requests[i]
  if r[2] == 0 then
    OPERATIONS[r[1]](r)
  else
    local key = other(r[2])
    local value = get(key)
    local before = value and cmsgpack.unpack(value)
    if before and now < before[1] then
      if before[2] == r[3] then
        for j = 3, #before do
          tell(before[j])
        end
      else
        tell(REUSED)
      end
    else
      local first = told + 1
      OPERATIONS[r[1]](r)
      if answer[first] ~= STALE then
        put(key, cmsgpack.pack({ now + REMEMBERED, r[3], unpack(answer, first, told) }), REMEMBERED)
      end
    end
  end
end

for key in pairs(unwritten) do
  local s = states[key]
  put(key, written(s), reset_in(s) + GRACE)
end
for _, key in ipairs(changed) do
  local value, lifetime = values[key], lifetimes[key]
  if not value then
    redis.call('DEL', key)
  elseif lifetime < 0 then
    redis.call('SET', key, value)
  else
    redis.call('SET', key, value, 'PX', text(ceil(lifetime / 1000)))
  end
end
for places in pairs(resized) do
  local last = redis.call('ZREVRANGE', places, 0, 0, 'WITHSCORES')
  if last[2] then
    redis.call('PEXPIRE', places, text(ceil((last[2] - now + GRACE) / 1000)))
  end
end

return answer
