-- Ask that the turn at the head of a session stops, running or not. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 due  5 parked  6 capped
-- ARGV  1 session  2 who asks  3 channel on which workers listen
--       4 when it was said, as a message id, or '': what was asked later goes on
-- Returns 1, or 0 if there is nothing to stop
local ready, state, inbox, due, parked, capped = unpack(KEYS)
local session, by, channel, said = unpack(ARGV)

local now = redis.call('HMGET', state, 's', 'head', 'fence')
local s, head, fence = now[1], now[2], now[3]
if not s or s == 'idle' then return 0 end
local turn = head or redis.call('ZRANGE', inbox, 0, 0)[1]
local asked, limit = tonumber(turn), tonumber(said)
if asked and limit and asked > limit then return 0 end
redis.call('HSET', state, 'stop', turn, 'stop_by', by)
if s == 'running' then
  redis.call('PUBLISH', channel, fence .. ' ' .. by .. ' ' .. session)
elseif s ~= 'queued' then
  -- Whoever takes it now says that it stopped; nobody waits for a delay, a person or a slot.
  if s == 'delayed' then redis.call('ZREM', due, session) end
  if s == 'parked' then redis.call('ZREM', parked, session) end
  if s == 'capped' then redis.call('ZREM', capped, capped_as(state, session)) end
  add_token(ready, state, session)
end
return 1
