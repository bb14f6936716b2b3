-- Take back a turn that has not begun. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped
-- ARGV  1 turn  2 group  3 session  4 ttl of an idle state
-- Returns waiting (gone now) | running (begun, still there) | none
local id, group, session, ttl = unpack(ARGV)
local at = place(KEYS, session)

if not redis.call('ZSCORE', at.inbox, id) then return 'none' end
local now = redis.call('HMGET', at.state, 'head', 's', 'entry', 'fence')
if now[1] == id then return 'running' end
forget_item(at.inbox, at.items, id)
if redis.call('EXISTS', at.inbox) == 0 then
  if now[2] == 'capped' then
    redis.call('ZREM', at.capped, capped_as(at.state, session))
  else
    drop_token(at.ready, group, now[3])
  end
  free_slot(at)
  rest(at.state, ttl)
  -- A session that never had a turn is unknown again.
  if not now[4] then redis.call('DEL', at.state) end
end
return 'waiting'
