-- Take back a turn that has not begun. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items
-- ARGV  1 turn  2 group  3 ttl of an idle state
-- Returns waiting (gone now) | running (begun, still there) | none
local ready, state, inbox, items = unpack(KEYS)
local id, group, ttl = unpack(ARGV)

if not redis.call('ZSCORE', inbox, id) then return 'none' end
if redis.call('HGET', state, 'head') == id then return 'running' end
forget_item(inbox, items, id)
if redis.call('EXISTS', inbox) == 0 then
  drop_token(ready, group, redis.call('HGET', state, 'entry'))
  rest(state, ttl)
  -- A session that never had a turn is unknown again.
  if redis.call('HEXISTS', state, 'fence') == 0 then redis.call('DEL', state) end
end
return 'waiting'
