-- Shared by every script: how a session moves through the queue.
--
--   idle     --push-->                   queued
--   queued   --take-->                   running, or capped if its project has no slot left
--   capped   --a slot is free, stop-->   queued
--   running  --finish, drop, bury-->     queued if more waits, else idle: the head leaves
--   running  --give_back-->              delayed   --its time comes, stop-->  queued
--   running  --park-->                   parked    --unpark, stop-->          queued
--   running  --take_over-->              queued, or as bury after too many falls
--
-- ready   STREAM  tokens `session=ID`; at most one per session, in the stream or pending in the
--                 consumer group. The pending entry is the lease.
-- due     ZSET    session -> wake-up time, ms of the server's clock
-- parked  ZSET    session -> since when, ms: its head waits for a person, and nothing is held
-- slots   HASH    project -> how many of its sessions hold a slot: they run, or run next
-- capped  ZSET    "PROJECT ENTRY SESSION", all of score 0, so in order: who waits for a slot
-- dead    STREAM  turns that left the queue unanswered, for an operator; bounded. Fields: session,
--                 project, id, rank, why, falls, item, and text, files, mentioned if changed
-- inbox   ZSET    turn id -> rank (seconds; by arrival unless the pusher knows better)
-- items   HASH    `ID` the turn as JSON; `ID/text`, `ID/files`, `ID/mentioned` what changed since
-- state   HASH    s        idle | queued | running | delayed | parked | capped
--                 entry    the token in `ready`; while capped, its place among those
--                 project  "TEAM:PROJECT"; slot: the same while it holds a slot
--                 fence    how often the session was taken; a lease carries the value of its take
--                 done     the fence of the last lease that ended, so that ending twice is harmless
--                 head     the turn that was begun and has not ended
--                 tries    how often `head` was taken
--                 falls    how often its worker was lost since it last ended a lease itself
--                 woken    the head, if it was woken since it was taken
--                 stop     the turn that is to stop; stop_by: who said so
--                 turns    finished turns
--                 first    the earliest turn, by its id: what was said before it was not for us
--                 cut      asides that fell off the front since the session was taken
--                 last     the highest rank given by arrival

local function owns(state, fence)
  local now = redis.call('HMGET', state, 's', 'fence')
  return now[1] == 'running' and now[2] == fence
end

-- A message belongs to a session if the session is known and did not begin after it.
local function follows(state, id)
  if redis.call('EXISTS', state) == 0 then return false end
  local first, own = tonumber(redis.call('HGET', state, 'first') or ''), tonumber(id)
  return not first or not own or own >= first
end

local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The six keys with which most scripts begin, by name; `states` is the prefix of all states.
local function place(keys, session)
  local ready, state, inbox, items, slots, capped = unpack(keys)
  local states = string.sub(state, 1, #state - #session)
  return {ready = ready, state = state, inbox = inbox, items = items,
          slots = slots, capped = capped, states = states, session = session}
end

local function add_token(ready, state, session)
  local entry = redis.call('XADD', ready, '*', 'session', session)
  redis.call('HSET', state, 's', 'queued', 'entry', entry)
  redis.call('PERSIST', state)
end

local function drop_token(ready, group, entry)
  redis.call('XACK', ready, group, entry)
  redis.call('XDEL', ready, entry)
end

local function rest(state, ttl)
  redis.call('HSET', state, 's', 'idle')
  redis.call('HDEL', state, 'entry')
  redis.call('EXPIRE', state, ttl)
end

local function forget_item(inbox, items, id)
  redis.call('ZREM', inbox, id)
  redis.call('HDEL', items, id, id .. '/text', id .. '/files', id .. '/mentioned')
end

local function capped_as(state, session)
  local now = redis.call('HMGET', state, 'project', 'entry')
  return now[1] .. ' ' .. now[2] .. ' ' .. session
end

-- A slot goes straight to the session of its project that has waited longest for one: so nobody
-- overtakes, and never do more run than have slots.
local function free_slot(at)
  local project = redis.call('HGET', at.state, 'slot')
  if not project then return end
  redis.call('HDEL', at.state, 'slot')
  local from, to = '[' .. project .. ' ', '(' .. project .. '!'
  local waiter = redis.call('ZRANGE', at.capped, from, to, 'BYLEX', 'LIMIT', 0, 1)[1]
  if waiter then
    local other = string.match(waiter, '^%S+ %S+ (.+)$')
    redis.call('ZREM', at.capped, waiter)
    redis.call('HSET', at.states .. other, 'slot', project)
    add_token(at.ready, at.states .. other, other)
  elseif redis.call('HINCRBY', at.slots, project, -1) <= 0 then
    redis.call('HDEL', at.slots, project)
  end
end

local function end_lease(at, group, fence)
  drop_token(at.ready, group, redis.call('HGET', at.state, 'entry'))
  redis.call('HSET', at.state, 'done', fence)
  redis.call('HDEL', at.state, 'falls')
end

-- The head has had its turn: forget it, and queue the next or rest.
local function next_turn(at, ttl)
  free_slot(at)
  forget_item(at.inbox, at.items, redis.call('HGET', at.state, 'head'))
  redis.call('HDEL', at.state, 'head', 'tries', 'falls', 'stop', 'stop_by', 'cut')
  if redis.call('EXISTS', at.inbox) == 1 then
    add_token(at.ready, at.state, at.session)
  else
    rest(at.state, ttl)
  end
end

-- Keep the head for an operator, as it is stored; the oldest dead letters make room.
local function keep_dead(at, dead, why, most, ttl)
  local now = redis.call('HMGET', at.state, 'head', 'project', 'falls')
  local id = now[1]
  local kept = {'session', at.session, 'project', now[2] or '', 'id', id, 'why', why,
                'falls', now[3] or '0', 'rank', redis.call('ZSCORE', at.inbox, id)}
  for name, field in pairs({item = id, text = id .. '/text', files = id .. '/files',
                            mentioned = id .. '/mentioned'}) do
    local value = redis.call('HGET', at.items, field)
    if value then
      kept[#kept + 1] = name
      kept[#kept + 1] = value
    end
  end
  redis.call('XADD', dead, 'MAXLEN', most, '*', unpack(kept))
  redis.call('EXPIRE', dead, ttl)
end
