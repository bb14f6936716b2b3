-- Queue the delayed sessions of a lane whose time has come. States: session.lua.
--
-- KEYS  1 ready  2 due ZSET session -> ms
-- ARGV  1 prefix of state  2 at most so many
-- Returns how many were queued
local ready, due = unpack(KEYS)
local states, limit = unpack(ARGV)

local moved = 0
for _, session in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', now_ms(), 'LIMIT', 0, limit)) do
  redis.call('ZREM', due, session)
  if redis.call('HGET', states .. session, 's') == 'delayed' then
    add_token(ready, states .. session, session)
    moved = moved + 1
  end
end
return moved
