-- Wake a parked turn, even if it is only about to be parked. States: session.lua.
--
-- KEYS  1 ready  2 state  3 parked
-- ARGV  1 session  2 turn
-- Returns 1, or 0 if that turn is not the session's head (any more)
local ready, state, parked = unpack(KEYS)
local session, id = unpack(ARGV)

local now = redis.call('HMGET', state, 's', 'head')
if now[2] ~= id then return 0 end
if now[1] == 'parked' then
  redis.call('ZREM', parked, session)
  add_token(ready, state, session)
elseif now[1] == 'running' then
  redis.call('HSET', state, 'woken', id)
end
return 1
