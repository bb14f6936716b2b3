-- Shared by every script: how a session moves through the queue.
--
--   push        take          finish, drop: the head leaves        give_back
--   idle ----> queued ----> running ----> queued (if more waits)   running ----> delayed
--                 ^            |     \--> idle                     delayed ----> queued (wake, stop)
--                 +-- take_over +
--
-- ready   STREAM  tokens `session=ID`; at most one per session, in the stream or pending in the
--                 consumer group. The pending entry is the lease.
-- due     ZSET    session -> wake-up time, ms of the server's clock
-- inbox   ZSET    turn id -> rank (seconds; by arrival unless the pusher knows better)
-- items   HASH    `ID` the turn as JSON; `ID/text`, `ID/files`, `ID/mentioned` what changed since
-- state   HASH    s        idle | queued | running | delayed
--                 entry    the token in `ready`
--                 fence    how often the session was taken; a lease carries the value of its take
--                 done     the fence of the last lease that ended, so that ending twice is harmless
--                 head     the turn that was begun and has not ended
--                 tries    how often `head` was taken
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

local function end_lease(ready, state, group, fence)
  drop_token(ready, group, redis.call('HGET', state, 'entry'))
  redis.call('HSET', state, 'done', fence)
end

-- The head has had its turn: forget it, and queue the next or rest.
local function next_turn(ready, state, inbox, items, session, ttl)
  forget_item(inbox, items, redis.call('HGET', state, 'head'))
  redis.call('HDEL', state, 'head', 'tries', 'stop', 'stop_by', 'cut')
  if redis.call('EXISTS', inbox) == 1 then
    add_token(ready, state, session)
  else
    rest(state, ttl)
  end
end
