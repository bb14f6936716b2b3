-- Accept a turn once, in order, and queue its session if it is idle. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items
--       5 event  STRING  "NONCE OUTCOME" of the push that accepted this event
--       6 seen   STRING  the message was accepted
--       7 early  HASH    message id -> turn as JSON: came before the session was known, or before
--                        its first message; if that is only late, they follow it
-- ARGV  1 session  2 turn  3 turn as JSON  4 nonce of this push  5 rank, or '' for by arrival
--       6 '1' only if the session is known  7 '1' mentioned  8 files as JSON, or ''  9 ttl of 5, 6
--       10 ttl of 7  11 most of 7  12 "TEAM:PROJECT"
-- Returns {outcome, turns ahead}: queued | merged | duplicate | unknown_session
local ready, state, inbox, items, event, seen, early = unpack(KEYS)
local session, id, item, nonce, rank, only_known, mentioned, files, ttl = unpack(ARGV)
local early_ttl, most_early, project = ARGV[10], tonumber(ARGV[11]), ARGV[12]

local function ahead()
  local head = redis.call('HGET', state, 'head')
  local before = redis.call('ZRANK', inbox, id)
  local late = head and head ~= id and redis.call('ZRANK', inbox, head) > before
  return late and before + 1 or before
end

local function merge_twin()
  if redis.call('HGET', state, 'head') == id or not redis.call('ZSCORE', inbox, id) then
    return 'duplicate'
  end
  if mentioned == '1' then redis.call('HSET', items, id .. '/mentioned', '1') end
  if files ~= '' then redis.call('HSET', items, id .. '/files', files) end
  return 'merged'
end

-- Arrival order needs ranks that never repeat, even if the clock stands still or steps back.
local function by_arrival()
  local time = redis.call('TIME')
  local last = tonumber(redis.call('HGET', state, 'last') or '0')
  local fresh = math.max(time[1] + time[2] / 1000000, last + 0.000002)
  redis.call('HSET', state, 'last', string.format('%.6f', fresh))
  return string.format('%.6f', fresh)
end

local function append()
  redis.call('ZADD', inbox, rank ~= '' and rank or by_arrival(), id)
  redis.call('HSET', items, id, item)
  redis.call('SET', seen, '1', 'EX', ttl)
  local first, own = tonumber(redis.call('HGET', state, 'first') or ''), tonumber(id)
  if own and (not first or own < first) then redis.call('HSET', state, 'first', id) end
  redis.call('HSET', state, 'project', project)
  local s = redis.call('HGET', state, 's')
  if not s or s == 'idle' then add_token(ready, state, session) end
  return 'queued'
end

local function keep_early()
  if redis.call('HLEN', early) < most_early then
    redis.call('HSET', early, id, item)
    redis.call('EXPIRE', early, early_ttl)
  end
end

-- What was said after this message but came before it is for us too; what was said before it is
-- only context. Ids are times of one clock, so they stand in as ranks.
local function adopt_early()
  local now = tonumber(id)
  local seen_prefix = string.sub(seen, 1, #seen - #id)
  local found = redis.call('HGETALL', early)
  for i = 1, #found, 2 do
    local other, turn = found[i], found[i + 1]
    local later = now and (tonumber(other) or 0) > now
    if later and redis.call('EXISTS', seen_prefix .. other) == 0 then
      redis.call('ZADD', inbox, other, other)
      redis.call('HSET', items, other, turn)
      redis.call('SET', seen_prefix .. other, '1', 'EX', ttl)
    end
  end
  redis.call('DEL', early)
end

local earlier = redis.call('GET', event)
if earlier then
  local outcome = string.match(earlier, '^' .. nonce .. ' (%a+)$') or 'duplicate'
  return {outcome, outcome ~= 'duplicate' and redis.call('ZSCORE', inbox, id) and ahead() or 0}
end
local outcome
if redis.call('EXISTS', seen) == 1 then
  outcome = merge_twin()
elseif only_known == '1' and not follows(state, id) then
  keep_early()
  return {'unknown_session', 0}
else
  outcome = append()
  adopt_early()
end
redis.call('SET', event, nonce .. ' ' .. outcome, 'EX', ttl)
return {outcome, outcome ~= 'duplicate' and ahead() or 0}
