-- End a turn that cannot be answered: an operator finds it among the dead letters. Its journal
-- stays, so that it goes on where it was should it be queued again. States: session.lua.
--
-- KEYS  1 ready  2 state  3 inbox  4 items  5 slots  6 capped  7 dead
-- ARGV  1 group  2 fence  3 session  4 ttl  5 why  6 most dead letters  7 their ttl
-- Returns 1, or 0 if the lease is lost; a second time 1 again
local group, fence, session, ttl, why, most, dead_ttl = unpack(ARGV)
local at = place(KEYS, session)

if redis.call('HGET', at.state, 'done') == fence then return 1 end
if not owns(at.state, fence) then return 0 end
keep_dead(at, KEYS[7], why, most, dead_ttl)
end_lease(at, group, fence)
next_turn(at, ttl)
return 1
